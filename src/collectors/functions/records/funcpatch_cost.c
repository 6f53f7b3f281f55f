/* The cost of recording one call on this host, for the report.
 *
 * The hot part of a trampoline, one entry and one exit, is repeated on substitute thread state,
 * into a buffer that is never read: by the same instructions if there is a copy of them, else by
 * equivalent ones.  The rare slow part is not included, and the cost of new space for records is
 * in the records themselves (PATCH_MARK_OWN). */
#include "collectors/functions/records/funcpatch_cost.h"

#include <stdio.h>
#include <time.h>

#include "collectors/functions/counts/funcpatch_throttle.h"
#include "collectors/functions/funcpatch.h"
#include "collectors/functions/funcpatch_call.h"
#include "collectors/functions/funcpatch_counted.h"
#include "collectors/functions/funcpatch_recorded.h"
#include "collectors/functions/funcpatch_settings.h"
#include "platform/processor.h"
#include "platform/ticks.h"
#include "platform/usage.h"
#include "runtime/runtime.h"
#include "runtime/store/note.h"

#define ROUNDS	     9
#define CALLS	     128
#define WORK	     96 /* multiplications: much longer than recording takes */
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

static uint64_t cost_restore(const struct scratch *scratch)
{
	return scratch->saved[0] + scratch->saved[1] + scratch->saved[2];
}

static void wait(void)
{
	if (funcpatch_settings.is_serialized)
		processor_wait();
}

static void cost_record(struct scratch *scratch, uint64_t bits, unsigned bytes)
{
	volatile struct patch_thread_state *hot = &scratch->hot;
	uint64_t now;
	uint8_t *cursor;

	if (scratch->gate.is_off || hot->state != PATCH_STATE_READY)
		return;
	save(scratch);
	hot->state = (uint64_t)(uintptr_t)scratch;
	wait();
	now = funcpatch_settings.cost == PATCH_COST_FULL ? ticks_read() : scratch->clock;
	bits |= (now - hot->last) << 1;
	hot->last = now;
	cursor = hot->cursor;
	*(volatile uint64_t *)(void *)cursor = bits;
	hot->cursor = cursor + bytes;
	if (hot->cursor < hot->limit)
		hot->state = PATCH_STATE_READY;
	wait();
	(void)cost_restore(scratch);
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

static void funcpatch_cost_count(struct scratch *scratch)
{
	volatile uint32_t *left = scratch->hot.left;

	scratch->saved[0] = 0;
	if (left)
		*left -= 1;
	(void)scratch->saved[0];
	(void)(scratch->hot.timed == (uint64_t)(uintptr_t)left);
}

static uint64_t cost_time_round(struct scratch *scratch, int calls)
{
	uint64_t start = usage_clock_ns(CLOCK_MONOTONIC);

	scratch->hot.cursor = scratch->buffer;
	scratch->hot.limit = scratch->buffer + sizeof(scratch->buffer);
	for (int i = 0; i < calls; i++) {
		if (funcpatch_settings.cost == PATCH_COST_COUNTS) {
			funcpatch_cost_count(scratch);
		} else if (PATCH_IS_MARKED(funcpatch_settings.cost)) {
			record_marked(scratch, false);
			record_marked(scratch, true);
		} else {
			cost_record(scratch, 1, PATCH_ENTER_BYTES);
			cost_record(scratch, 2, PATCH_EXIT_BYTES);
		}
	}
	return usage_clock_ns(CLOCK_MONOTONIC) - start;
}

/* The minimum of several: other work on the processor only adds. */
static uint64_t cost_least(struct scratch *scratch, int calls)
{
	uint64_t least_ns = UINT64_MAX;

	for (int i = 0; i < ROUNDS; i++) {
		uint64_t ns = cost_time_round(scratch, calls);

		if (ns < least_ns)
			least_ns = ns;
	}
	return least_ns;
}

/* Nanoseconds of CALLS calls, recorded or not, with so much work in or after each. */
struct alike {
	uint32_t inside, behind;
	bool is_recorded;
	uint64_t all_ns;
	double inside_share; /* of that, between the readings; 0 = the clock does not show it */
};

static void work_behind(struct funcpatch_recorded *recorded, uint32_t count)
{
	uint64_t value = recorded->value;

	for (uint32_t i = 0; i < count; i++) {
		value *= value;
		__asm__ volatile("" : "+r"(value));
	}
	recorded->value = value;
}

static bool time_alike(struct scratch *scratch, struct alike *alike)
{
	struct funcpatch_recorded *recorded = &scratch->recorded;
	uint64_t start_ns, ns, ticks;

	*recorded = (struct funcpatch_recorded){
		.hot.cursor = scratch->buffer,
		.hot.limit = scratch->buffer + sizeof(scratch->buffer),
		.is_off = !alike->is_recorded,
		.words = &recorded->hot,
		.clock = &recorded->hot.last,
		.work = alike->inside,
		.value = 3,
	};
	start_ns = usage_clock_ns(CLOCK_MONOTONIC);
	ticks = ticks_read();
	for (int i = 0; i < CALLS; i++) {
		if (!funcpatch_recorded_call(recorded))
			return false;
		work_behind(recorded, alike->behind);
	}
	ticks = ticks_read() - ticks;
	ns = usage_clock_ns(CLOCK_MONOTONIC) - start_ns;
	if (ns >= alike->all_ns)
		return true;
	alike->all_ns = ns;
	alike->inside_share = ticks > 0 ? (double)recorded->inside_ticks / (double)ticks : 0;
	return true;
}

enum { EMPTY, INSIDE, BEHIND, KINDS };

/* Alternate between recorded calls and others.  False: there are no such instructions here. */
static bool time_kinds(struct scratch *scratch, struct alike bare[KINDS],
		       struct alike recorded[KINDS])
{
	static const uint32_t works[KINDS][2] = {{0, 0}, {WORK, 0}, {0, WORK}};

	for (int kind = 0; kind < KINDS; kind++) {
		bare[kind] = (struct alike){
			.inside = works[kind][0], .behind = works[kind][1], .all_ns = UINT64_MAX};
		recorded[kind] = bare[kind];
		recorded[kind].is_recorded = true;
	}
	for (int i = 0; i < ROUNDS; i++)
		for (int kind = 0; kind < KINDS; kind++)
			if (!time_alike(scratch, &bare[kind]) ||
			    !time_alike(scratch, &recorded[kind]))
				return false;
	return true;
}

/* Picoseconds of a call, in its two parts. */
struct call_cost {
	uint64_t inside, outside;
};

struct cost {
	/* Of a call that does nothing, of one whose recording overlaps with its work, and the
	 * mean; of the first two nothing is known for calls that are only counted. */
	struct call_cost empty, beside, middle;
};

static double added_ps(const struct alike *bare, const struct alike *recorded)
{
	return recorded->all_ns > bare->all_ns
		       ? (double)(recorded->all_ns - bare->all_ns) * 1000 / CALLS
		       : 0;
}

static uint64_t natural(double value)
{
	return value > 0 ? (uint64_t)value : 0;
}

/* What an empty call takes between its readings; half of all if the clock does not show that. */
static double inside_ps(const struct alike *empty, double all_ps)
{
	double ps = empty->inside_share * (double)empty->all_ns * 1000 / CALLS;

	return ps <= 0 ? all_ps / 2 : ps < all_ps ? ps : all_ps;
}

/* Processors record while a function waits for its own results: so recording takes less time if
 * it overlaps with work, in that part; even a negative time, as work overlaps with the other
 * part. */
static bool measure_alike(struct scratch *scratch, struct cost *cost)
{
	struct alike bare[KINDS], recorded[KINDS];
	double all, inside, outside;

	if (funcpatch_settings.cost == PATCH_COST_COUNTS || !time_kinds(scratch, bare, recorded))
		return false;
	all = added_ps(&bare[EMPTY], &recorded[EMPTY]);
	inside = inside_ps(&recorded[EMPTY], all);
	outside = all - inside;
	cost->empty = (struct call_cost){natural(inside), natural(outside)};
	cost->beside = (struct call_cost){
		natural(added_ps(&bare[INSIDE], &recorded[INSIDE]) - outside),
		natural(added_ps(&bare[BEHIND], &recorded[BEHIND]) - inside),
	};
	cost->middle = (struct call_cost){(cost->empty.inside + cost->beside.inside) / 2,
					  (cost->empty.outside + cost->beside.outside) / 2};
	return true;
}

static struct cost cost_measure(void)
{
	struct scratch scratch = {.hot.state = PATCH_STATE_READY};
	struct cost cost = {0};
	uint64_t frame_ns, calls_ns;

	if (funcpatch_settings.cost == PATCH_COST_COUNTS)
		cost.middle.outside = funcpatch_counting_ps();
	if (cost.middle.outside > 0 || measure_alike(&scratch, &cost))
		return cost;
	scratch.hot.left = scratch.left;
	frame_ns = cost_least(&scratch, 0);
	calls_ns = cost_least(&scratch, CALLS);
	cost.middle.outside = calls_ns > frame_ns ? (calls_ns - frame_ns) * 1000 / CALLS : 0;
	return cost;
}

static const struct cost *cost_measured(void)
{
	static struct cost cost;

	if (cost.middle.outside == 0) {
		cost = cost_measure();
		cost.middle.outside++; /* it was measured */
	}
	return &cost;
}

uint64_t funcpatch_cost_ps(void)
{
	return cost_measured()->middle.inside + cost_measured()->middle.outside;
}

uint64_t funcpatch_inside_ps(void)
{
	return cost_measured()->middle.inside;
}

void funcpatch_cost_note(void)
{
	const struct cost *cost = cost_measured();
	uint64_t counted_ps = funcpatch_throttle_is_wanted() ? funcpatch_counted_ps() : 0;
	char text[120];

	if (funcpatch_settings.is_serialized)
		kymo_note_add(KYMO_NOTE_INFO, KYMO_SERIALIZED_NOTE, "serialized");
	if (counted_ps > 0) {
		snprintf(text, sizeof(text), "%llu", (unsigned long long)counted_ps);
		kymo_note_add(KYMO_NOTE_INFO, KYMO_COUNTED_CALL_COST_NOTE, text);
	}
	if (cost->empty.inside == 0)
		return;
	snprintf(text, sizeof(text), "%llu %llu %llu %llu", (unsigned long long)cost->empty.inside,
		 (unsigned long long)cost->empty.outside, (unsigned long long)cost->beside.inside,
		 (unsigned long long)cost->beside.outside);
	kymo_note_add(KYMO_NOTE_INFO, KYMO_FUNCTION_COSTS_NOTE, text);
}
