/* What recording one call costs here and now, for the report.
 *
 * The steps of a trampoline's hot part, one entry and one exit, are done over and over on words
 * that stand in for a thread's, into a buffer that nobody reads: by the same instructions where
 * there is a copy of them, else by what they do.  The rare slow part is not in it.  Pages of
 * the recording, which the kernel makes as they are filled, are added. */
#include <stdio.h>
#include <time.h>

#include "collectors/functions/funcpatch.h"
#include "platform/ticks.h"
#include "platform/usage.h"

#define ROUNDS	     9
#define CALLS	     128
#define BUFFER_BYTES (CALLS * 8 + PATCH_RECORD_MAX)

struct scratch {
	struct funcpatch_recorded recorded;
	volatile struct patch_thread_state hot;
	volatile struct patch_switch gate;
	volatile uint64_t clock, saved[3];
	uint32_t left[1];
	uint8_t buffer[BUFFER_BYTES];
};

static void save(struct scratch *scratch)
{
	for (int i = 0; i < 3; i++)
		scratch->saved[i] = (uint64_t)i;
}

static uint64_t restore(const struct scratch *scratch)
{
	return scratch->saved[0] + scratch->saved[1] + scratch->saved[2];
}

static void record(struct scratch *scratch, uint64_t bits, unsigned bytes)
{
	volatile struct patch_thread_state *hot = &scratch->hot;
	uint64_t now;
	uint8_t *cursor;

	if (scratch->gate.is_off || hot->state != PATCH_STATE_READY)
		return;
	save(scratch);
	hot->state = (uint64_t)(uintptr_t)scratch;
	now = funcpatch_settings.cost == PATCH_COST_FULL ? ticks_read() : scratch->clock;
	bits |= (now - hot->last) << 1;
	hot->last = now;
	cursor = hot->cursor;
	*(volatile uint64_t *)(void *)cursor = bits;
	hot->cursor = cursor + bytes;
	if (hot->cursor < hot->limit)
		hot->state = PATCH_STATE_READY;
	(void)restore(scratch);
}

static void record_marked(struct scratch *scratch, bool is_exit)
{
	volatile struct patch_thread_state *hot = &scratch->hot;
	uint8_t *cursor;

	if (scratch->gate.is_off || scratch->clock != hot->last)
		return;
	scratch->saved[0] = scratch->saved[1] = 0;
	cursor = hot->cursor;
	hot->cursor = cursor + (is_exit ? PATCH_MARKED_EXIT_BYTES : PATCH_MARKED_ENTER_BYTES);
	if (cursor < hot->limit && is_exit)
		*(volatile uint16_t *)(void *)cursor = 2;
	else if (cursor < hot->limit)
		*(volatile uint32_t *)(void *)cursor = 1;
	(void)(scratch->saved[0] + scratch->saved[1]);
}

static void count(struct scratch *scratch)
{
	volatile uint32_t *left = scratch->hot.left;

	scratch->saved[0] = 0;
	if (left)
		*left -= 1;
	(void)scratch->saved[0];
	(void)(scratch->hot.timed == (uint64_t)(uintptr_t)left);
}

/* What a function might do that waits for its own results: some ten nanoseconds. */
static inline void work(uint64_t *value)
{
	uint64_t next = *value;

	for (int i = 0; i < 12; i++) {
		next = next * 6364136223846793005u + 1442695040888963407u;
		__asm__ volatile("" : "+r"(next));
	}
	*value = next;
}

/* The time of calls in which work is done, or of the work alone. */
static uint64_t time_work(struct scratch *scratch, int calls, bool is_recorded)
{
	struct funcpatch_recorded *recorded = &scratch->recorded;
	bool is_coarse = PATCH_IS_MARKED(funcpatch_settings.cost);
	uint64_t value = 1, start = usage_clock_ns(CLOCK_MONOTONIC);

	recorded->hot.cursor = scratch->buffer;
	for (int i = 0; i < calls; i++) {
		if (is_recorded)
			funcpatch_recorded_call(recorded, is_coarse);
		work(&value);
	}
	scratch->saved[0] = value;
	return usage_clock_ns(CLOCK_MONOTONIC) - start;
}

/* By the same instructions as in trampolines; false: there are none here. */
static bool record_alike(struct scratch *scratch, int calls)
{
	struct funcpatch_recorded *recorded = &scratch->recorded;
	bool is_coarse = PATCH_IS_MARKED(funcpatch_settings.cost);

	if (funcpatch_settings.cost == PATCH_COST_COUNTS)
		return false;
	*recorded = (struct funcpatch_recorded){
		.hot.cursor = scratch->buffer,
		.hot.limit = scratch->buffer + sizeof(scratch->buffer),
		.words = &recorded->hot,
		.clock = &recorded->hot.last,
	};
	for (int i = 0; i < calls; i++)
		if (!funcpatch_recorded_call(recorded, is_coarse))
			return false;
	return true;
}

static uint64_t time_round(struct scratch *scratch, int calls)
{
	uint64_t start = usage_clock_ns(CLOCK_MONOTONIC);

	if (record_alike(scratch, calls))
		return usage_clock_ns(CLOCK_MONOTONIC) - start;

	scratch->hot.cursor = scratch->buffer;
	scratch->hot.limit = scratch->buffer + sizeof(scratch->buffer);
	for (int i = 0; i < calls; i++) {
		if (funcpatch_settings.cost == PATCH_COST_COUNTS) {
			count(scratch);
		} else if (PATCH_IS_MARKED(funcpatch_settings.cost)) {
			record_marked(scratch, false);
			record_marked(scratch, true);
		} else {
			record(scratch, 1, PATCH_ENTER_BYTES);
			record(scratch, 2, PATCH_EXIT_BYTES);
		}
	}
	return usage_clock_ns(CLOCK_MONOTONIC) - start;
}

struct cost {
	uint64_t all_ps, inside_ps;
	/* Of a call that does nothing, and of one that works as long as that; 0 = not known. */
	uint64_t empty_ps, beside_ps, work_ps;
};

/* The least of several: other work on the processor only adds. */
static uint64_t least(struct scratch *scratch, int calls)
{
	uint64_t least_ns = UINT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t ns = time_round(scratch, calls);

		if (ns < least_ns)
			least_ns = ns;
	}
	return least_ns;
}

/* Of the events of a call, and of those that its entry writes. */
static struct cost page_cost(void)
{
	uint64_t byte_ps;

	if (funcpatch_settings.cost == PATCH_COST_COUNTS)
		return (struct cost){0};
	byte_ps = kymo_page_byte_ps();
	if (PATCH_IS_MARKED(funcpatch_settings.cost))
		return (struct cost){
			.all_ps = (PATCH_MARKED_ENTER_BYTES + PATCH_MARKED_EXIT_BYTES) * byte_ps,
			.inside_ps = PATCH_MARKED_ENTER_BYTES * byte_ps};
	return (struct cost){.all_ps = (PATCH_ENTER_BYTES + PATCH_EXIT_BYTES) * byte_ps,
			     .inside_ps = PATCH_ENTER_BYTES * byte_ps};
}

/* Of a call's cost, by the share of what lies between the readings in all of the time of the
 * calls; half of it with a clock that does not show that. */
static uint64_t inside_ps(const struct scratch *scratch, uint64_t all_ps, uint64_t all_ticks)
{
	uint64_t inside_ticks = scratch->recorded.inside_ticks;

	if (funcpatch_settings.cost == PATCH_COST_COUNTS || !scratch->recorded.words)
		return 0;
	if (inside_ticks == 0 || all_ticks <= inside_ticks)
		return all_ps / 2;
	return (uint64_t)((double)all_ps * (double)inside_ticks / (double)all_ticks);
}

static uint64_t least_work(struct scratch *scratch, bool is_recorded)
{
	uint64_t least_ns = UINT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t ns = time_work(scratch, CALLS, is_recorded);

		if (ns < least_ns)
			least_ns = ns;
	}
	return least_ns;
}

/* Processors record while a function waits for its own results: so the same takes less in a
 * function that does much than in one that does nothing.  Programs have both: the middle. */
static void measure_beside(struct scratch *scratch, struct cost *cost)
{
	uint64_t alone_ns, both_ns, beside_ps;

	if (!scratch->recorded.words)
		return;
	alone_ns = least_work(scratch, false);
	both_ns = least_work(scratch, true);
	beside_ps = both_ns > alone_ns ? (both_ns - alone_ns) * 1000 / CALLS : 0;
	if (beside_ps >= cost->all_ps || alone_ns == 0)
		return;
	cost->empty_ps = cost->all_ps;
	cost->beside_ps = beside_ps;
	cost->work_ps = alone_ns * 1000 / CALLS;
	cost->all_ps = (cost->empty_ps + beside_ps) / 2;
}

static struct cost measure(void)
{
	struct scratch scratch = {.hot.state = PATCH_STATE_READY};
	uint64_t frame_ns, calls_ns, ticks;
	struct cost cost = {0}, pages = page_cost();

	scratch.hot.left = scratch.left;
	frame_ns = least(&scratch, 0);
	calls_ns = least(&scratch, CALLS);
	cost.all_ps = 1 + (calls_ns > frame_ns ? (calls_ns - frame_ns) * 1000 / CALLS : 0);
	ticks = ticks_read();
	time_round(&scratch, CALLS);
	ticks = ticks_read() - ticks;
	measure_beside(&scratch, &cost);
	cost.inside_ps = inside_ps(&scratch, cost.all_ps, ticks);
	cost.all_ps += pages.all_ps;
	if (cost.inside_ps > 0)
		cost.inside_ps += pages.inside_ps;
	if (cost.work_ps > 0) {
		cost.empty_ps += pages.all_ps;
		cost.beside_ps += pages.all_ps;
	}
	return cost;
}

static const struct cost *measured(void)
{
	static struct cost cost;

	if (cost.all_ps == 0)
		cost = measure();
	return &cost;
}

uint64_t funcpatch_cost_ps(void)
{
	return measured()->all_ps;
}

uint64_t funcpatch_inside_ps(void)
{
	/* What FULL takes from a call differs too much with what the call does. */
	return PATCH_IS_MARKED(funcpatch_settings.cost) ? measured()->inside_ps : 0;
}

void funcpatch_cost_note(void)
{
	const struct cost *cost = measured();
	/* Copies of the other costs hold the whole function, and count for less. */
	bool is_counted =
		funcpatch_throttle_is_wanted() && funcpatch_settings.cost == PATCH_COST_COUNTS;
	uint64_t counted_ps = is_counted ? funcpatch_counted_ps() : 0;
	char text[80];

	if (counted_ps > 0) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)counted_ps);
		kymo_note_add(KYMO_NOTE_INFO, KYMO_BRIEF_COST_NOTE, text);
	}
	if (cost->work_ps == 0)
		return;
	snprintf(text, sizeof(text), "%llu %llu %llu", (unsigned long long)cost->empty_ps,
		 (unsigned long long)cost->beside_ps, (unsigned long long)cost->work_ps);
	kymo_note_add(KYMO_NOTE_INFO, KYMO_FUNCTION_COSTS_NOTE, text);
}
