/* What recording one call costs here and now, for the report.
 *
 * The steps of a trampoline's hot part, one entry and one exit, are done over and over on words
 * that stand in for a thread's, into a buffer that nobody reads.  The jumps to it and back, which
 * the processor predicts, and the rare slow part are not in it. */
#include <time.h>

#include "collectors/functions/funcpatch.h"
#include "platform/ticks.h"
#include "platform/usage.h"

#define ROUNDS	     9
#define CALLS	     128
#define BUFFER_BYTES (CALLS * 8 + PATCH_RECORD_MAX)

struct scratch {
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

static uint64_t time_round(struct scratch *scratch, int calls)
{
	uint64_t start = usage_clock_ns(CLOCK_MONOTONIC);

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

uint64_t funcpatch_cost_ps(void)
{
	static uint64_t cost_ps;
	struct scratch scratch = {.hot.state = PATCH_STATE_READY};
	uint64_t frame_ns, calls_ns;

	if (cost_ps != 0)
		return cost_ps;
	scratch.hot.left = scratch.left;
	frame_ns = least(&scratch, 0);
	calls_ns = least(&scratch, CALLS);
	cost_ps = 1 + (calls_ns > frame_ns ? (calls_ns - frame_ns) * 1000 / CALLS : 0);
	return cost_ps;
}
