/* Switching off and on while the program runs.
 *
 * Off is a byte that every trampoline looks at.  When recording goes on, each thread's records
 * get two marks that say from when to when nothing was recorded; nobody writes records then. */
#include "collectors/funcpatch/funcpatch.h"

#include <string.h>

#include "format/gateword.h"
#include "runtime/helper.h"
#include "runtime/hot.h"

static const struct kymo_header *header; /* of the recording; NULL = not known yet */
static bool is_off;			 /* by the gate */
static uint64_t off_ticks;

void funcpatch_gate_begin(const struct kymo_thread *thread)
{
	header = (const struct kymo_header *)thread->base;
}

bool funcpatch_gate_is_shut(void)
{
	return !is_off && header &&
	       (__atomic_load_n(&header->gate, __ATOMIC_RELAXED) & KYMO_GATE_OFF);
}

static uint8_t *put_mark(uint8_t *at, enum patch_mark mark, uint64_t ticks)
{
	memcpy(at + 1, &ticks, sizeof(ticks));
	*at = (uint8_t)(mark << 2);
	return at + 1 + PATCH_TIME_BYTES;
}

/* A thread that is in the middle of a record, for all this time, gets none. */
static void mark(struct funcpatch_thread *thread, void *now)
{
	struct patch_hot *hot = thread->hot;
	uint8_t *at = hot->cursor;
	uint64_t from = off_ticks, to = *(const uint64_t *)now;

	if (funcpatch_settings.cost == PATCH_COST_COUNTS || at >= hot->limit ||
	    __atomic_load_n(&hot->state, __ATOMIC_ACQUIRE) != PATCH_STATE_READY)
		return;
	if (from < hot->last) /* it was late to notice */
		from = hot->last;
	at = put_mark(at, PATCH_MARK_OFF, from);
	hot->cursor = put_mark(at, PATCH_MARK_ON, to > from ? to : from);
	hot->last = 0;
}

static void close_gate(void)
{
	is_off = true;
	off_ticks = header ? gateword_time(header, header->gate) : kymo_helper_now();
	funcpatch_switch(true);
}

static void open_gate(void)
{
	uint64_t before, now = kymo_helper_now();

	/* What comes next is not before the mark. */
	__atomic_store_n(&funcpatch_clock, now, __ATOMIC_RELAXED);
	funcpatch_hold(&before);
	funcpatch_threads_each(mark, &now);
	is_off = false;
	funcpatch_let_go(before);
	if (__atomic_load_n(&funcpatch_is_open, __ATOMIC_ACQUIRE))
		funcpatch_switch(false);
}

void funcpatch_gate_follow(void)
{
	bool is_on = kymo_helper_admits();

	if (is_on == !is_off || !__atomic_load_n(&funcpatch_is_open, __ATOMIC_ACQUIRE))
		return;
	if (is_on)
		open_gate();
	else
		close_gate();
}

/* From here on somebody has to look when it opens. */
void funcpatch_gate_notice(void *unused)
{
	(void)unused;
	if (!funcpatch_gate_is_shut())
		return;
	close_gate();
	funcpatch_helper_need();
}

bool funcpatch_gate_is_open(void)
{
	return !is_off;
}

void funcpatch_gate_forked(void)
{
	header = NULL;
	is_off = false;
}
