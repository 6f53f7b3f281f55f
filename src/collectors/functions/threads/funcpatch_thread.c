/* Threads: their state, where their records are written, forks, and the end of the recording.
 * Serves funcpatch_threads.h. */
#include "collectors/functions/threads/funcpatch_threads.h"

#include "collectors/functions/threads/funcpatch_text.h"

#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "base/threadlocal.h"
#include "collectors/functions/counts/funcpatch_counts.h"
#include "collectors/functions/counts/funcpatch_throttle.h"
#include "collectors/functions/funcpatch.h"
#include "collectors/functions/funcpatch_call.h"
#include "collectors/functions/funcpatch_settings.h"
#include "collectors/functions/modules/funcpatch_describe.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/modules/funcpatch_switch.h"
#include "collectors/functions/records/funcpatch_away.h"
#include "collectors/functions/records/funcpatch_hooks.h"
#include "collectors/functions/records/funcpatch_marked.h"
#include "collectors/functions/records/funcpatch_values.h"
#include "collectors/functions/threads/funcpatch_shadow.h"
#include "collectors/functions/threads/funcpatch_switching.h"
#include "platform/ticks.h"
#include "platform/usage.h"
#include "runtime/control/sampling.h"
#include "runtime/hot.h"
#include "runtime/lifecycle/forking.h"
#include "runtime/lifecycle/lifecycle.h"

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23
#endif

#define HEADER	      sizeof(struct kymo_chunk)
#define PAYLOAD_FIRST ((UINT64_C(64) << 10) - HEADER)
#define PAYLOAD_MAX   ((UINT64_C(4) << 20) - HEADER)
/* After the limit: the longest record, and inserted marks.  With marks of time also the records
 * of code that reserved space, and was interrupted before checking the limit: one for each
 * signal handler that interrupted another at just that place. */
#define RESERVE_BYTES (PATCH_RECORD_MAX + 3 * PATCH_MARK_BYTES + 512)

__thread struct patch_thread_state funcpatch_thread_state
	__attribute__((tls_model("initial-exec"), visibility("hidden"), aligned(64))) = {
		.state = PATCH_STATE_NEW, .cursor = (uint8_t *)PATCH_CURSOR_CLOSED};
__thread struct funcpatch_thread *funcpatch_self
	__attribute__((tls_model("initial-exec"), visibility("hidden")));

bool funcpatch_is_open;

/* Guarded by the lock. */
static struct threadstates states;
static uint64_t skipped_total;
static __thread char lock_token __attribute__((tls_model("initial-exec")));

void funcpatch_lock(uint64_t *before)
{
	threadstates_lock(&states, (uintptr_t)&lock_token, before);
}

void funcpatch_unlock(uint64_t before)
{
	threadstates_unlock(&states, before);
}

static void funcpatch_thread_set_state(struct patch_thread_state *hot, uint64_t state)
{
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	__atomic_store_n(&hot->state, state, __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* States: the lock is held. */

static struct funcpatch_thread *thread_state_get(void)
{
	struct funcpatch_thread *state = threadstates_get(&states, sizeof(*state));

	if (!state)
		return NULL;
	state->is_out = false;
	funcpatch_hooks_begin(state);
	funcpatch_values_begin(state);
	state->payload = PAYLOAD_FIRST;
	state->written = 0;
	state->chunk_start = NULL;
	state->at = NULL;
	state->has_window = 0;
	state->marked = 0;
	return state;
}

void funcpatch_threads_each(void (*visit)(struct funcpatch_thread *thread, void *context),
			    void *context)
{
	threadstates_each (struct funcpatch_thread, state, &states)
		if (state->state.is_used)
			visit(state, context);
}

/* Prefault its pages together: later each would be a page fault. */
static void thread_populate(struct kymo_chunk *chunk)
{
	madvise(chunk, chunk->size, MADV_POPULATE_WRITE);
}

struct own_work { /* since it began */
	uint64_t ticks, wall_ns, used_ns;
};

/* Reading the thread's clock is a system call, and one may kill a program that has restricted
 * these: then all of the time counts. */
static struct own_work own_work_begin(void)
{
	uint64_t wall_ns = usage_clock_ns(CLOCK_MONOTONIC);

	return (struct own_work){
		ticks_now(), wall_ns,
		kymo_runtime_is_restricted() ? wall_ns : usage_clock_ns(CLOCK_THREAD_CPUTIME_ID)};
}

/* Without pre-emption. */
static uint64_t own_work_ticks(const struct own_work *begin)
{
	struct own_work now = own_work_begin();
	uint64_t wall_ns = now.wall_ns - begin->wall_ns, used_ns = now.used_ns - begin->used_ns;
	double share = used_ns < wall_ns ? (double)used_ns / (double)wall_ns : 1;

	return (uint64_t)((double)(now.ticks - begin->ticks) * share);
}

/* The time until records continue here is not the program's. */
static uint8_t *put_own(uint8_t *at, uint64_t ticks)
{
	*at = PATCH_MARK_OWN << 2;
	memcpy(at + 1, &ticks, sizeof(ticks));
	return at + PATCH_MARK_BYTES;
}

static bool refill(struct funcpatch_thread *self)
{
	struct patch_thread_state *hot = self->hot;
	bool is_marked = funcpatch_is_marked();
	uint8_t **cursor = is_marked ? &self->at : &hot->cursor;
	struct own_work work = own_work_begin();
	struct kymo_chunk *chunk;

	if (hot->last == 0 || is_marked)
		hot->last = funcpatch_now();
	chunk = kymo_sample_chunk(self->thread, KYMO_CHUNK_FUNCTION_EVENTS, self->payload, 0,
				  hot->last);
	if (!chunk)
		return false;
	if (is_marked)
		chunk->flags = KYMO_FUNCTION_EVENTS_MARKED;
	thread_populate(chunk);
	self->written += self->chunk_start ? (uint64_t)(*cursor - self->chunk_start) : 0;
	self->chunk_start = (uint8_t *)(chunk + 1);
	*cursor = put_own((uint8_t *)(chunk + 1), own_work_ticks(&work));
	hot->limit = (uint8_t *)chunk + chunk->size - RESERVE_BYTES;
	if (self->payload < PAYLOAD_MAX)
		self->payload = self->payload * 2 + HEADER;
	return true;
}

void funcpatch_job_do(void *argument)
{
	struct funcpatch_job *job = argument;
	KEEP_ERRNO();
	bool was_elsewhere = kymo_sample_elsewhere(true);

	job->function(job->argument);
	kymo_sample_elsewhere(was_elsewhere);
}

void funcpatch_thread_refill(void *thread)
{
	struct funcpatch_thread *self = thread;
	KEEP_ERRNO();

	funcpatch_gate_notice(NULL);
	if (__atomic_load_n(&funcpatch_is_open, __ATOMIC_RELAXED) && !refill(self))
		funcpatch_full();
	if ((funcpatch_is_marked() ? self->at : self->hot->cursor) >= self->hot->limit)
		self->is_out = true;
}

void funcpatch_full(void)
{
	__atomic_store_n(&funcpatch_is_open, false, __ATOMIC_RELAXED);
	funcpatch_switch(true);
}

/* The lock is held; the state is INSIDE. */
static void thread_begin(struct kymo_thread *thread)
{
	struct funcpatch_thread *self = thread_state_get();
	bool is_counts = funcpatch_settings.cost == PATCH_COST_COUNTS;

	if (!self)
		return;
	self->thread = thread;
	self->hot = &funcpatch_thread_state;
	funcpatch_gate_begin(thread);
	funcpatch_modules_describe();
	/* The C library allocates both in one block. */
	funcpatch_shadow_show(funcpatch_thread_pointer());
	funcpatch_throttle_begin(self);
	if (!is_counts)
		funcpatch_away_begin(self);
	if (is_counts ? funcpatch_counts_begin(self) : refill(self))
		funcpatch_self = self;
	else
		threadstates_put(&states, &self->state);
}

static void thread_begin_thread(struct kymo_thread *thread)
{
	uint64_t before;

	funcpatch_thread_set_state(&funcpatch_thread_state, PATCH_STATE_INSIDE);
	funcpatch_lock(&before);
	thread_begin(thread);
	funcpatch_unlock(before);
	if (funcpatch_self && funcpatch_is_marked())
		funcpatch_marked_open(&funcpatch_thread_state);
	funcpatch_thread_set_state(&funcpatch_thread_state,
				   funcpatch_self ? PATCH_STATE_READY : PATCH_STATE_OUT);
}

static bool can_begin(void)
{
	return !funcpatch_self && __atomic_load_n(&funcpatch_is_open, __ATOMIC_RELAXED);
}

static void thread_on_begin(struct kymo_thread *thread)
{
	KEEP_ERRNO();

	if (can_begin())
		thread_begin_thread(thread);
}

/* Attaching calls thread_on_begin(), but not in a forked child, where the thread is known. */
void funcpatch_thread_attach(void *unused)
{
	KEEP_ERRNO();
	struct kymo_thread *thread = kymo_sample_resume();

	(void)unused;
	if (!thread) {
		(void)kymo_thread_attach();
		thread = kymo_sample_resume();
	}
	if (thread && can_begin()) {
		thread_begin_thread(thread);
		funcpatch_helper_begin();
	}
}

static void thread_leave(struct funcpatch_thread *self)
{
	if (__atomic_load_n(&funcpatch_is_open, __ATOMIC_ACQUIRE))
		funcpatch_throttle_keep(self);
	skipped_total += self->hot->skipped;
	self->hot->skipped = 0;
	if (self->counts)
		funcpatch_counts_end(self);
	threadstates_put(&states, &self->state);
}

static void thread_on_end(struct kymo_thread *thread)
{
	struct funcpatch_thread *self = funcpatch_self;
	KEEP_ERRNO();
	uint64_t before;

	(void)thread;
	funcpatch_thread_set_state(&funcpatch_thread_state, PATCH_STATE_OUT);
	(void)funcpatch_marked_close(&funcpatch_thread_state);
	funcpatch_thread_state.left = NULL;
	funcpatch_thread_state.timed = 0;
	funcpatch_self = NULL;
	if (self && !kymo_runtime_is_restricted()) {
		funcpatch_lock(&before);
		thread_leave(self);
		funcpatch_unlock(before);
	}
}

/* The other thread-local is at the same offset in every thread. */
static void thread_renew(struct funcpatch_thread *state)
{
	uintptr_t distance =
		threadlocal_address(&funcpatch_self) - threadlocal_address(&funcpatch_thread_state);
	struct patch_thread_state *hot = state->hot;

	*(struct funcpatch_thread **)((uintptr_t)hot + distance) = NULL;
	*hot = (struct patch_thread_state){.state = PATCH_STATE_NEW,
					   .cursor = (uint8_t *)PATCH_CURSOR_CLOSED};
	funcpatch_throttle_forget(hot);
	if (state->counts)
		funcpatch_counts_end(state);
	threadstates_put(&states, &state->state);
}

void funcpatch_threads_renew(void)
{
	threadstates_each (struct funcpatch_thread, state, &states)
		if (state->state.is_used)
			thread_renew(state);
	skipped_total = 0;
}

/* From here to the fork's end nothing may be written: the child would write into the recording
 * of its parent. */
static void on_forking(bool is_begun)
{
	struct funcpatch_thread *self = funcpatch_self;

	if (!self)
		return;
	if (is_begun) {
		self->kept_state = funcpatch_thread_state.state;
		self->kept_left = funcpatch_thread_state.left;
		funcpatch_thread_set_state(&funcpatch_thread_state, PATCH_STATE_INSIDE);
		self->is_kept_open = funcpatch_marked_close(&funcpatch_thread_state);
		funcpatch_thread_state.left = NULL;
	} else {
		if (self->is_kept_open)
			funcpatch_marked_open(&funcpatch_thread_state);
		funcpatch_thread_state.left = self->kept_left;
		funcpatch_thread_set_state(&funcpatch_thread_state, self->kept_state);
	}
}

static void thread_forget_all(void)
{
	threadstates_each (struct funcpatch_thread, state, &states) {
		if (!state->state.is_used)
			continue;
		if (state->counts)
			funcpatch_counts_end(state);
		threadstates_put(&states, &state->state);
	}
}

/* A handler that interrupted the slow path has forked: that continues with this state, which no
 * other thread may get, and what it writes is discarded. */
static void retire(struct funcpatch_thread *self)
{
	if (!self || !funcpatch_is_marked() || self->kept_state <= PATCH_STATE_MAX)
		return;
	self->state.is_used = false;
	self->at = (uint8_t *)self->stack;
}

/* The cursor is closed, and stays so: a handler may have interrupted code that reads it. */
static void hot_clear(struct patch_thread_state *hot)
{
	hot->cursor = (uint8_t *)PATCH_CURSOR_CLOSED;
	hot->limit = NULL;
	hot->last = hot->timed = hot->skipped = hot->reserved = 0;
	hot->left = NULL;
}

/* A process that has given up system calls: the parent was switched off then, and nothing is
 * released here. */
static void thread_drop_recording(void)
{
	funcpatch_self = NULL;
	hot_clear(&funcpatch_thread_state);
	funcpatch_throttle_forget(&funcpatch_thread_state);
	funcpatch_helper_forked();
	__atomic_store_n(&funcpatch_is_open, false, __ATOMIC_RELAXED);
	funcpatch_thread_set_state(&funcpatch_thread_state, PATCH_STATE_OUT);
}

static void thread_on_fork(bool is_recorded)
{
	KEEP_ERRNO();

	states.lock.owner = 0;
	if (kymo_runtime_is_restricted()) {
		thread_drop_recording();
		return;
	}
	if (funcpatch_self && funcpatch_self->chunk_start)
		kymo_sample_keep((struct kymo_chunk *)(uintptr_t)funcpatch_self->chunk_start - 1);
	retire(funcpatch_self);
	thread_forget_all();
	skipped_total = 0;
	funcpatch_self = NULL;
	hot_clear(&funcpatch_thread_state);
	funcpatch_throttle_forget(&funcpatch_thread_state);
	funcpatch_modules_forget();
	funcpatch_helper_forked();
	if (!is_recorded)
		__atomic_store_n(&funcpatch_is_open, false, __ATOMIC_RELAXED);
	funcpatch_gate_forked();
	funcpatch_text_forked();
	funcpatch_switch(!funcpatch_is_open);
	funcpatch_thread_set_state(&funcpatch_thread_state,
				   funcpatch_is_open ? PATCH_STATE_NEW : PATCH_STATE_OUT);
}

static void add_skipped(struct funcpatch_thread *thread, void *sum)
{
	*(uint64_t *)sum += thread->hot->skipped;
}

uint64_t funcpatch_skipped(void)
{
	uint64_t sum = skipped_total;

	funcpatch_threads_each(add_skipped, &sum);
	return sum;
}

static void thread_on_closing(bool is_closing)
{
	if (!kymo_runtime_is_restricted()) /* closed already, and no system call is allowed */
		funcpatch_closing(is_closing);
}

static void on_limiting(void)
{
	KEEP_ERRNO();

	funcpatch_shadow_limit();
}

const struct kymo_thread_listener funcpatch_listener = {.begin = thread_on_begin,
							.end = thread_on_end,
							.forked = thread_on_fork,
							.closing = thread_on_closing,
							.forking = on_forking,
							.limiting = on_limiting};
