/* Switching off and on while the program runs.
 *
 * The switch is a byte that every trampoline tests.  When recording is resumed, each thread's
 * records get two marks with the interval in which nothing was recorded; no thread writes records
 * in it.
 *
 * The byte is in a page of the recording, which is also mapped in place of every module's own:
 * so a change of the gate, also by `kymo ctl` from outside, switches all functions at once.
 * Then no notification is needed, and there are no marks: the reader has the times from the
 * header.  Time windows are handled by the helper, with marks.  Serves funcpatch_switching.h. */
#include "collectors/functions/threads/funcpatch_switching.h"

#include "collectors/functions/records/funcpatch_marked.h"
#include "collectors/functions/threads/funcpatch_text.h"

#include <string.h>
#include <sys/mman.h>

#include "collectors/functions/funcpatch.h"
#include "collectors/functions/funcpatch_settings.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/modules/funcpatch_switch.h"
#include "collectors/functions/threads/funcpatch_threads.h"
#include "format/gateword.h"
#include "platform/code/rawmemory.h"
#include "runtime/control/sampling.h"
#include "runtime/hot.h"
#include "runtime/threads/helper.h"

static struct kymo_header *header; /* of the recording; NULL = unknown */
static struct kymo_switch *shared; /* the page in it; NULL = every module has its own */
static struct kymo_switch *left;   /* was shared in this recording */
static long owner;		   /* the process that it belongs to */
static bool is_off;		   /* by the gate */
static uint64_t off_ticks;

/* Atomically replace a page by one with its contents: trampolines are running. */
static void gate_map_private(struct funcpatch_module *module, bool is_off_there)
{
	void *gate = module->applied.gate;
	long page = raw_map(0, PATCH_SWITCH_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (page < 0)
		return;
	((struct patch_switch *)page)->is_off = is_off_there;
	if (raw_call6(SYS_mremap, page, PATCH_SWITCH_SIZE, PATCH_SWITCH_SIZE,
		      MREMAP_MAYMOVE | MREMAP_FIXED, (long)gate, 0) >= 0)
		module->has_switch = false;
}

/* If no more mappings are available, the module keeps its own page. */
void funcpatch_gate_map(struct funcpatch_module *module)
{
	if (shared)
		module->has_switch = raw_call6(SYS_mremap, (long)shared, 0, PATCH_SWITCH_SIZE,
					       MREMAP_MAYMOVE | MREMAP_FIXED,
					       (long)module->applied.gate, 0) >= 0;
}

static void gate_map_all(void)
{
	for (uint32_t i = 0; i < funcpatch_module_count; i++)
		if (funcpatch_modules[i].is_loaded)
			funcpatch_gate_map(&funcpatch_modules[i]);
}

void funcpatch_gate_unshare(bool is_off_there)
{
	if (shared)
		left = shared;
	shared = NULL;
	for (uint32_t i = 0; i < funcpatch_module_count; i++)
		if (funcpatch_modules[i].is_loaded && funcpatch_modules[i].has_switch)
			gate_map_private(&funcpatch_modules[i], is_off_there);
}

void funcpatch_gate_share_again(void)
{
	if (shared || !left)
		return;
	shared = left;
	gate_map_all();
}

void funcpatch_gate_turn(bool is_shut)
{
	if (!shared || owner != raw_call(SYS_getpid, 0, 0, 0))
		return;
	__atomic_store_n(&shared->is_shut, is_shut, __ATOMIC_SEQ_CST);
	gateword_switch(header, shared);
}

static void share(void)
{
	struct kymo_chunk *chunk =
		kymo_sample_table(KYMO_CHUNK_SWITCH, 2 * KYMO_SWITCH_BYTES - sizeof(*chunk));

	if (!chunk)
		return;
	shared = (struct kymo_switch *)((char *)chunk + KYMO_SWITCH_BYTES);
	left = NULL;
	owner = raw_call(SYS_getpid, 0, 0, 0);
	shared->is_shut = funcpatch_is_switched_off();
	__atomic_store_n(&header->switch_offset, (uint64_t)((char *)shared - (char *)header),
			 __ATOMIC_SEQ_CST);
	gateword_switch(header, shared);
	gate_map_all();
}

void funcpatch_gate_begin(const struct kymo_thread *thread)
{
	struct kymo_header *now = (struct kymo_header *)thread->base;

	if (header == now && shared)
		return;
	header = now;
	share();
}

bool funcpatch_gate_is_shut(void)
{
	return !shared && !is_off && funcpatch_gate_is_stopped();
}

bool funcpatch_gate_is_stopped(void)
{
	return header && (__atomic_load_n(&header->gate, __ATOMIC_RELAXED) & KYMO_GATE_OFF);
}

uint64_t funcpatch_gate_since(void)
{
	return header ? gateword_time(header, __atomic_load_n(&header->gate, __ATOMIC_ACQUIRE)) : 0;
}

static uint8_t *gate_put_mark(uint8_t *at, enum patch_mark mark, uint64_t ticks)
{
	memcpy(at + 1, &ticks, sizeof(ticks));
	*at = (uint8_t)(mark << 2);
	return at + 1 + PATCH_TIME_BYTES;
}

/* A thread that is in the middle of a record, for all this time, gets none. */
static void gate_mark(struct funcpatch_thread *thread, void *now)
{
	struct patch_thread_state *hot = thread->hot;
	uint8_t *at = hot->cursor;
	uint64_t from = off_ticks, to = *(const uint64_t *)now;

	if (funcpatch_is_marked()) {
		funcpatch_marked_window(thread, from, to > from ? to : from);
		return;
	}
	if (funcpatch_settings.cost == PATCH_COST_COUNTS || at >= hot->limit ||
	    __atomic_load_n(&hot->state, __ATOMIC_ACQUIRE) != PATCH_STATE_READY)
		return;
	if (from < hot->last) /* it was late to notice */
		from = hot->last;
	at = gate_put_mark(at, PATCH_MARK_OFF, from);
	hot->cursor = gate_put_mark(at, PATCH_MARK_ON, to > from ? to : from);
	hot->last = 0;
}

static void follow_gate_closed(void)
{
	is_off = true;
	off_ticks = header ? gateword_time(header, header->gate) : kymo_helper_now();
	funcpatch_switch(true);
}

static void follow_gate_opened(void)
{
	uint64_t before, now = kymo_helper_now();

	/* The next record is not before the mark. */
	__atomic_store_n(&funcpatch_clock, now, __ATOMIC_RELAXED);
	funcpatch_lock(&before);
	funcpatch_threads_each(gate_mark, &now);
	is_off = false;
	funcpatch_unlock(before);
	if (__atomic_load_n(&funcpatch_is_open, __ATOMIC_ACQUIRE))
		funcpatch_switch(false);
}

void funcpatch_gate_follow(void)
{
	bool is_on = kymo_helper_admits();

	if (shared && !funcpatch_helper_has_windows())
		return; /* done by whoever changes the gate */
	if (is_on == !is_off || !__atomic_load_n(&funcpatch_is_open, __ATOMIC_ACQUIRE))
		return;
	if (!is_on)
		follow_gate_closed();
	else if (!funcpatch_text_is_out())
		follow_gate_opened();
}

/* From now on the helper has to check when it opens. */
void funcpatch_gate_notice(void *unused)
{
	(void)unused;
	if (!funcpatch_gate_is_shut())
		return;
	follow_gate_closed();
	funcpatch_helper_need();
}

bool funcpatch_gate_is_open(void)
{
	return !is_off;
}

void funcpatch_gate_renew(void)
{
	funcpatch_gate_unshare(funcpatch_is_switched_off());
	left = NULL;
	header = NULL;
}

/* The page is the parent's. */
void funcpatch_gate_forked(void)
{
	funcpatch_gate_renew();
	is_off = false;
}
