/* COUNTS: every call decrements its function's countdown; a call that finds it at 0 is timed, and
 * sets the next countdown.
 *
 * A thread's table of countdowns is one contiguous address range for all possible ids, into which
 * the pages of the recording's chunks are mapped a second time: so trampolines need no bounds
 * check, and a library that is loaded later has its entries in every thread.
 *
 * Timed calls nest: their frames are on a stack, identified by the addresses of their return
 * addresses.  A frame whose function has not returned when one further up the stack begins was
 * left by a jump or an exception, or belongs to another stack: its time is unknown. */
#include "collectors/functions/counts/funcpatch_counts.h"

#include <string.h>
#include <sys/mman.h>

#include "base/pages.h"
#include "collectors/functions/counts/funcpatch_interval.h"
#include "collectors/functions/counts/funcpatch_switched.h"
#include "collectors/functions/funcpatch.h"
#include "collectors/functions/funcpatch_call.h"
#include "collectors/functions/funcpatch_empty.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/records/funcpatch_callers.h"
#include "collectors/functions/threads/funcpatch_switching.h"
#include "collectors/functions/threads/funcpatch_shadow.h"
#include "collectors/functions/threads/funcpatch_threads.h"
#include "platform/ticks.h"
#include "runtime/hot.h"
#include "runtime/lifecycle/lifecycle.h"
#include "runtime/control/sampling.h"

#define IDS	    ((uint64_t)PATCH_ID_MAX + 1)
#define HEADER	    sizeof(struct kymo_chunk)
#define FRAMES_MAX  1024u
#define NEVER	    UINT32_C(0x40000000) /* calls whose end is never seen */
#define TIMED_FIRST (KYMO_CHUNK_ALIGN - HEADER)
#define TIMED_MAX   ((UINT64_C(64) << 10) - HEADER)
#define OWED_MOST   16u /* in calls: the correction for what timing them took */
/* Of the calls that may be pre-empted: a pre-emption takes longer than that. */
#define CHECK_EVERY 16u

struct frame {
	uint64_t slot, start;
	struct kymo_timed *timed;
	struct kymo_timed_caller *caller; /* or NULL */
	uint64_t off_ticks;		  /* pre-empted ticks, until it began */
	double weight;			  /* 0 = its time is not recorded */
	uint32_t id;
	bool ends_elsewhere; /* may end in another function, with the same slot */
	bool is_through;
};

struct funcpatch_counts {
	uint32_t *left;		       /* by id */
	struct kymo_timed **of;	       /* likewise; NULL = none yet */
	struct kymo_timed *next, *end; /* space for further records */
	uint64_t payload;
	struct callers callers;
	uint64_t random;
	struct timing_tally tally;
	struct switched switched;
	uint64_t warm; /* when the latest timed call began or ended */
	uint32_t depth;
	struct frame frames[FRAMES_MAX];
};

static uint64_t timing_ticks; /* apparent duration of an empty timed call */

static void *counts_reserve(uint64_t size)
{
	void *got = mmap(NULL, size, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return got == MAP_FAILED ? NULL : got;
}

static void unreserve(void *memory, uint64_t size)
{
	if (memory)
		munmap(memory, size);
}

/* Map the chunk's pages a second time, at the address of its ids.  If that fails, its counts are
 * discarded. */
void funcpatch_counts_module(struct funcpatch_thread *self, const struct funcpatch_module *module)
{
	char *place = (char *)(self->counts->left + module->first_id) - HEADER;
	struct kymo_chunk *chunk =
		kymo_sample_chunk(self->thread, KYMO_CHUNK_COUNTDOWNS, (uint64_t)module->count * 4,
				  4, module->first_id);

	if (chunk)
		(void)kymo_sample_remap(chunk, place);
	else
		funcpatch_full();
}

uint64_t funcpatch_counts_timing(void)
{
	if (timing_ticks == 0)
		timing_ticks = funcpatch_empty_ticks();
	return timing_ticks;
}

/* Called first at the first timed call, since nothing before belongs to a call.  Only if the
 * thread's waits are known; a program that has restricted its system calls may be killed by one.
 * A thread that was switched was without a processor for long, so that the next reading is due. */
static void counts_read_switched(struct funcpatch_thread *self)
{
	if (!self->thread->has_waits || kymo_runtime_is_restricted() ||
	    !switched_is_due(&self->counts->switched, ticks_now()))
		return;
	switched_read(&self->counts->switched);
	self->thread->record->off_ticks = self->counts->switched.off_ticks;
}

/* Shorter calls are pre-empted so rarely that checking is not worth it. */
static bool may_be_switched(uint64_t ticks)
{
	return timing_ticks > 0 && ticks >= INTERVAL_LONG_TIMES * timing_ticks;
}

bool funcpatch_counts_begin(struct funcpatch_thread *self)
{
	struct funcpatch_counts *counts = pages_new(sizeof(*counts));

	if (!counts)
		return false;
	(void)funcpatch_counts_timing();
	self->counts = counts;
	kymo_sample_waits(self->thread);
	counts->left = counts_reserve(IDS * sizeof(*counts->left));
	counts->of = counts_reserve(IDS * sizeof(*counts->of));
	counts->payload = TIMED_FIRST;
	counts->random = ticks_now() | 1;
	counts->tally.since = ticks_now();
	if (!counts->left || !counts->of) {
		funcpatch_counts_end(self);
		return false;
	}
	for (uint32_t i = 0; i < funcpatch_module_count;
	     i++) /* unloaded ones may be loaded again */
		funcpatch_counts_module(self, &funcpatch_modules[i]);
	self->hot->timed = 0;
	self->hot->left = counts->left;
	return true;
}

void funcpatch_counts_end(struct funcpatch_thread *self)
{
	struct funcpatch_counts *counts = self->counts;

	unreserve(counts->left, IDS * sizeof(*counts->left));
	unreserve(counts->of, IDS * sizeof(*counts->of));
	callers_release(&counts->callers);
	pages_free(counts, sizeof(*counts));
	self->counts = NULL;
}

/* On the helper's thread, while the thread runs. */
void funcpatch_counts_report(const struct funcpatch_thread *self, uint32_t first, uint32_t end,
			     uint64_t *calls)
{
	const struct funcpatch_counts *counts = self->counts;

	for (uint32_t id = first; counts && id < end; id++) {
		const struct kymo_timed *timed = __atomic_load_n(&counts->of[id], __ATOMIC_ACQUIRE);

		if (timed)
			calls[id] += __atomic_load_n(&timed->due, __ATOMIC_RELAXED) -
				     (uint64_t)(int64_t)(int32_t)counts->left[id];
	}
}

bool funcpatch_counts_need_space(const struct funcpatch_thread *self)
{
	return self->counts->next == self->counts->end ||
	       callers_need_space(&self->counts->callers);
}

/* These lines are rarely in a cache, so prefetch all of them together. */
struct kymo_timed_caller *funcpatch_counts_prefetch(const struct funcpatch_thread *self,
						    const struct funcpatch_module *module,
						    uint32_t index, uint64_t slot)
{
	const struct funcpatch_counts *counts = self->counts;
	uint32_t id = module->first_id + index;
	const char *timed = (const char *)counts->of[id];

	__builtin_prefetch(&module->applied.plan.functions[index]);
	if (timed) {
		__builtin_prefetch(timed, 1);
		__builtin_prefetch(timed + sizeof(struct kymo_timed_sums), 1);
	}
	return callers_known(&counts->callers, id, slot);
}

static void more_records(struct funcpatch_thread *self)
{
	struct funcpatch_counts *counts = self->counts;
	struct kymo_chunk *chunk = kymo_sample_chunk(self->thread, KYMO_CHUNK_TIMED,
						     counts->payload, sizeof(struct kymo_timed), 0);

	if (!chunk) {
		funcpatch_full();
		return;
	}
	counts->next = (struct kymo_timed *)(chunk + 1);
	counts->end = counts->next + (chunk->size - HEADER) / sizeof(struct kymo_timed);
	if (counts->payload < TIMED_MAX)
		counts->payload = counts->payload * 2 + HEADER;
}

void funcpatch_counts_refill(void *thread)
{
	struct funcpatch_thread *self = thread;

	if (!__atomic_load_n(&funcpatch_is_open, __ATOMIC_RELAXED))
		return;
	if (self->counts->next == self->counts->end)
		more_records(self);
	if (callers_need_space(&self->counts->callers))
		callers_reserve(&self->counts->callers, self->thread);
}

static uint32_t next_interval(struct funcpatch_counts *counts, const struct kymo_timed *timed)
{
	const struct kymo_timed_sums *sums = &timed->sums;
	bool is_cheap = interval_is_cheap(&counts->tally, sums->ended, sums->ticks, timing_ticks);

	if (timed->sampling_interval == 1 && timed->timed >= INTERVAL_ALL_TIMED &&
	    interval_is_long(&counts->tally, sums->ended, sums->ticks, timing_ticks, ticks_now())) {
		counts->tally.of_long++;
		return 1;
	}
	return interval_next(timed->sampling_interval, timed->timed, is_cheap);
}

/* Uniform in [1, 2 * interval), so that sampling is not in step with a period of the program. */
static uint32_t gap(struct funcpatch_counts *counts, uint32_t sampling_interval)
{
	uint64_t random = counts->random;

	if (sampling_interval == 1)
		return 1;
	random ^= random << 13;
	random ^= random >> 7;
	random ^= random << 17;
	counts->random = random;
	return 1 + (uint32_t)((random >> 32) * (2 * (uint64_t)sampling_interval - 1) >> 32);
}

/* The call that found the countdown at 0 counts, and calls of handlers since then, too. */
static void funcpatch_count(struct funcpatch_counts *counts, struct kymo_timed *timed,
			    uint32_t next)
{
	uint32_t before = __atomic_exchange_n(&counts->left[timed->id], next - 1, __ATOMIC_RELAXED);

	__atomic_fetch_add(&timed->due, (uint64_t)next + (UINT32_MAX - before), __ATOMIC_RELAXED);
}

static struct kymo_timed *record_of(struct funcpatch_counts *counts, uint32_t id)
{
	struct kymo_timed *timed = counts->of[id];

	if (timed || counts->next == counts->end)
		return timed;
	timed = counts->next++;
	timed->id = id;
	timed->sampling_interval = 1;
	counts->of[id] = timed;
	return timed;
}

static void drop_dead(struct funcpatch_counts *counts, uint64_t slot)
{
	while (counts->depth > 0) {
		const struct frame *top = &counts->frames[counts->depth - 1];

		if (top->slot > slot || (top->slot == slot && top->ends_elsewhere))
			return;
		counts->depth--;
	}
}

static void aim(struct funcpatch_thread *self)
{
	const struct funcpatch_counts *counts = self->counts;

	self->hot->timed = counts->depth ? counts->frames[counts->depth - 1].slot : 0;
}

static bool has_end(const struct plan_function *function, uint64_t slot)
{
	return function->way == PLAN_WAY_EXITS || function->way == PLAN_WAY_HOOK ||
	       (function->way == PLAN_WAY_CALL && slot >= funcpatch_shadow_start());
}

static struct kymo_timed_caller *find_caller(struct funcpatch_timing *timing, uint32_t id)
{
	return callers_find(&timing->self->counts->callers, id,
			    timing->caller ? (uint64_t)(uintptr_t)&timing->caller : timing->slot);
}

static void counts_push(struct funcpatch_timing *timing, struct kymo_timed *timed, double weight)
{
	struct funcpatch_counts *counts = timing->self->counts;
	const struct plan_function *function =
		&timing->module->applied.plan.functions[timing->index];
	struct frame *frame;

	drop_dead(counts, timing->slot);
	if (counts->depth < FRAMES_MAX) {
		frame = &counts->frames[counts->depth++];
		frame->slot = timing->slot;
		frame->timed = timed;
		frame->weight = weight;
		frame->off_ticks = counts->switched.off_ticks;
		frame->id = timed->id;
		frame->ends_elsewhere = function->flags & PLAN_FUNCTION_TAIL_CALLS;
		frame->is_through = function->way == PLAN_WAY_CALL;
		frame->caller = NULL;
		if (weight > 0)
			frame->caller =
				timing->known ? timing->known : find_caller(timing, timed->id);
		if (frame->caller)
			frame->caller->timed++;
		timing->start = &frame->start;
	}
	aim(timing->self);
}

/* The timing of such a call only warms the caches, and the function's next call is recorded
 * instead. */
static bool counts_is_cold(struct funcpatch_counts *counts, const struct kymo_timed *timed)
{
	uint64_t before = counts->warm;

	counts->warm = ticks_now();
	return interval_is_cold(timed->sampling_interval, counts->warm - before);
}

void funcpatch_counts_enter(void *argument)
{
	struct funcpatch_timing *timing = argument;
	struct funcpatch_counts *counts = timing->self->counts;
	uint32_t id = timing->module->first_id + timing->index;
	struct kymo_timed *timed = record_of(counts, id);
	double weight;

	if (!timed) { /* the recording is full */
		counts->left[id] = NEVER;
		return;
	}
	if (!has_end(&timing->module->applied.plan.functions[timing->index], timing->slot)) {
		funcpatch_count(counts, timed, timing->is_each ? 1 : NEVER);
		return;
	}
	if (may_be_switched((ticks_now() - counts->switched.ticks) / CHECK_EVERY))
		counts_read_switched(timing->self);
	if (!timing->is_each && counts_is_cold(counts, timed)) {
		counts->tally.timed++;
		funcpatch_count(counts, timed, 1);
		counts_push(timing, timed, 0);
		return;
	}
	weight = timed->sampling_interval;
	timed->timed++;
	if (!timing->is_each) {
		counts->tally.stood_for += timed->sampling_interval;
		counts->tally.timed++;
		timed->sampling_interval = next_interval(counts, timed);
	}
	funcpatch_count(counts, timed, gap(counts, timed->sampling_interval));
	counts_push(timing, timed, weight);
}

void funcpatch_counts_only(struct funcpatch_thread *self, uint32_t id)
{
	struct kymo_timed *timed;

	if (!self->counts)
		return;
	timed = self->counts->of[id];
	self->counts->left[id] = 0; /* the next one comes here, too */
	if (timed)
		__atomic_fetch_add(&timed->due, 1, __ATOMIC_RELAXED);
}

static void counts_add(struct kymo_timed_sums *sums, double weight, uint64_t ticks)
{
	double time = (double)(int64_t)ticks, spread = weight * (weight - 1);

	sums->ended++;
	sums->ticks += ticks;
	sums->squares += time * time;
	sums->weights += weight;
	sums->weighted_ticks += weight * time;
	sums->spread += spread;
	sums->spread_ticks += spread * time;
	sums->spread_squares += spread * time * time;
}

/* Subtract what timing took.  Clocks advance in steps, of ten nanoseconds on some processors: a
 * short call seems to take less than timing does, or a step more.  A deficit is carried over to
 * the next calls, so that their mean is right; up to a limit, because the duration may change. */
static uint64_t without_timing(struct kymo_timed *timed, uint64_t ticks)
{
	uint64_t owed = timed->owed + timing_ticks, most = OWED_MOST * timing_ticks;

	if (ticks > owed) {
		timed->owed = 0;
		return ticks - owed;
	}
	timed->owed = owed - ticks < most ? owed - ticks : most;
	return 0;
}

/* Pre-empted ticks since it began.  More than the call's duration was before it, since the
 * previous reading. */
static void counts_end(const struct frame *frame, uint64_t now, uint64_t off_ticks)
{
	struct kymo_timed *timed = frame->timed;
	uint64_t ticks = now - frame->start, off = off_ticks - frame->off_ticks;

	ticks = without_timing(timed, off < ticks ? ticks - off : ticks);

	if (timed->sums.ended == 0 || ticks < timed->min)
		timed->min = ticks;
	if (ticks > timed->max)
		timed->max = ticks;
	counts_add(&timed->sums, frame->weight, ticks);
	if (frame->caller)
		counts_add(&frame->caller->sums, frame->weight, ticks);
}

void funcpatch_counts_exit(void *argument)
{
	struct funcpatch_timing *timing = argument;
	struct funcpatch_counts *counts = timing->self->counts;
	uint64_t since = funcpatch_gate_since();
	bool is_first = true, is_through = false;

	while (counts && counts->depth > 0) {
		const struct frame *top = &counts->frames[counts->depth - 1];

		if (top->slot != timing->slot ||
		    (!is_first && (!top->ends_elsewhere || (top->is_through && !is_through))))
			break;
		is_through |= top->is_through; /* it has replaced their return points */
		if (may_be_switched(timing->now - top->start))
			counts_read_switched(timing->self);
		if (top->start > since &&
		    top->weight > 0) /* otherwise recording was switched off in the meantime */
			counts_end(top, timing->now, counts->switched.off_ticks);
		counts->depth--;
		counts->warm = timing->now;
		is_first = false;
	}
	aim(timing->self);
}
