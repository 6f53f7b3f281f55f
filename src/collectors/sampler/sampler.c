/* Following the process: begin and end of threads, forks, and the end of the recording.
 * Serves sampling.h. */
#include "runtime/control/sampling.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "collectors/sampler/python/sampler_codes.h"
#include "collectors/sampler/python/sampler_interpreter.h"
#include "collectors/sampler/sampler_handler.h"
#include "collectors/sampler/sampler_kinds.h"
#include "collectors/sampler/sampler_notes.h"
#include "collectors/sampler/sampler_plan.h"
#include "collectors/sampler/sampler_rest.h"
#include "collectors/sampler/sampler_scratch.h"
#include "collectors/sampler/sampler_signals.h"
#include "collectors/sampler/sampler_stackbounds.h"
#include "collectors/sampler/sampler_stacks.h"
#include "collectors/sampler/sampler_state.h"
#include "collectors/sampler/sampler_stream.h"
#include "collectors/sampler/sampler_timer.h"
#include "object/unwind/unwind.h"
#include "platform/usage.h"
#include "runtime/control/signalshare.h"
#include "runtime/lifecycle/lifecycle.h"
#include "runtime/modules.h"

#define YIELDS_MAX 100000 /* a thread that ended in its handler stays busy for ever */

/* Guarded by the lock; handlers do not take it. */
static struct threadstates states;
static __thread char lock_token __attribute__((tls_model("initial-exec")));

static pid_t owner; /* the process that these threads belong to */

static void sampler_lock(uint64_t *before)
{
	threadstates_lock(&states, (uintptr_t)&lock_token, before);
}

static void sampler_unlock(uint64_t before)
{
	threadstates_unlock(&states, before);
}

static void state_reset(struct sampler_thread *state)
{
	sampler_stacks_reset(&state->stacks);
	memset(&state->stream, 0, sizeof(state->stream));
	memset(state->code_page, 0, sizeof(state->code_page));
	state->has_begun = false;
	state->has_forked = false;
	state->busy = 0;
	state->descriptor = -1;
	state->cost_ticks = state->cost_count = 0;
}

/* The lock is held: so closing the recording, or giving a signal to the program, sees no thread
 * that is half armed. */
static void sampler_start(struct sampler_thread *self)
{
	uint64_t seed;

	self->system_id = (int)syscall(SYS_gettid);
	seed = (uint64_t)self->system_id << 32;
	self->name.python_count = 0;
	self->name.given = 0;
	self->start_ticks = self->seen_ticks = self->begun_ticks = kymo_now(self->thread);
	self->start_ns = self->seen_ns = usage_clock_ns(CLOCK_MONOTONIC);
	self->seen_cpu_ns = usage_clock_ns(CLOCK_THREAD_CPUTIME_ID);
	self->until_read = 0;
	self->random = (seed ^ self->start_ticks) | 1;
	for (unsigned i = 0; i < SAMPLER_KINDS; i++)
		self->timer[i].was_closed = false;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	sampler_self = self;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!sampler_timers_begin(self))
		__atomic_add_fetch(&sampler_totals.unsampled_threads, 1, __ATOMIC_RELAXED);
}

static bool sampler_is_chosen(const struct kymo_thread *thread)
{
	for (unsigned i = 0; i < SAMPLER_KINDS; i++)
		if (sampler_plan.kind[i].is_on &&
		    sampler_threads_has(&sampler_plan.kind[i].threads, kymo_thread_number(thread)))
			return true;
	return false;
}

static void sampler_begin_thread(struct kymo_thread *thread)
{
	struct sampler_thread *state = threadstates_get(&states, sizeof(*state));

	if (state) {
		state_reset(state);
		state->thread = thread;
		state->number = kymo_thread_number(thread);
		sampler_bounds_begin(state);
		sampler_start(state);
	} else {
		__atomic_add_fetch(&sampler_totals.unsampled_threads, 1, __ATOMIC_RELAXED);
	}
}

/* Sampling's signals may have been blocked by the creator, or by a program before exec. */
static void sampler_on_begin(struct kymo_thread *thread)
{
	KEEP_ERRNO();
	uint64_t before;

	if (sampler_self || __atomic_load_n(&sampler_is_closed, __ATOMIC_RELAXED) ||
	    !sampler_is_chosen(thread))
		return;
	sampler_lock(&before);
	if (!__atomic_load_n(&sampler_is_closed, __ATOMIC_RELAXED))
		sampler_begin_thread(thread);
	sampler_unlock(before & ~kymo_sample_signals());
}

static void sampler_end_thread(struct sampler_thread *self)
{
	uint64_t before;

	sampler_lock(&before);
	if (!__atomic_load_n(&sampler_is_closed, __ATOMIC_RELAXED)) {
		sampler_rest_flush(self);
		sampler_stream_end(self);
		sampler_totals_add(self);
	}
	sampler_timers_end(self);
	threadstates_put(&states, &self->state);
	sampler_unlock(before);
}

/* A signal that is already pending finds no state. */
static void sampler_on_end(struct kymo_thread *thread)
{
	struct sampler_thread *self = sampler_self;
	KEEP_ERRNO();

	(void)thread;
	if (!self)
		return;
	sampler_self = NULL;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	if (!kymo_runtime_is_restricted() && getpid() == owner)
		sampler_end_thread(self);
}

static void sampler_forget_others(const struct sampler_thread *self)
{
	threadstates_each (struct sampler_thread, state, &states) {
		if (state == self || !state->state.is_used)
			continue;
		sampler_timers_forget(state);
		state->thread = NULL;
		threadstates_put(&states, &state->state);
	}
}

static void sampler_on_fork(bool is_recorded)
{
	struct sampler_thread *self = sampler_self;
	KEEP_ERRNO();
	uint64_t before;

	states.lock.owner = 0;
	if (kymo_runtime_is_restricted()) {
		sampler_self = NULL;
		return;
	}
	sampler_lock(&before);
	owner = getpid();
	memset(&sampler_totals, 0, sizeof(sampler_totals));
	sampler_codes_forked();
	sampler_interpreter_forked();
	sampler_scratch_forked();
	sampler_forget_others(self);
	if (self) {
		sampler_timers_forget(self);
		state_reset(self);
		self->has_forked = true;
		self->number = 0; /* in the child's recording */
	}
	if (self && is_recorded && !__atomic_load_n(&sampler_is_closed, __ATOMIC_RELAXED)) {
		sampler_start(self);
		before &= ~kymo_sample_signals();
	} else {
		sampler_self = NULL;
	}
	sampler_unlock(before);
}

/* Make all running threads pass a memory barrier. */
static void sampler_barrier(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) < 0)
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static void wait_for_handlers(void)
{
	unsigned yields = 0;
	bool has_others = false;

	threadstates_each (struct sampler_thread, state, &states)
		has_others |= state->state.is_used && state != sampler_self;
	if (!has_others)
		return;
	sampler_barrier();
	threadstates_each (struct sampler_thread, state, &states)
		while (state != sampler_self && __atomic_load_n(&state->busy, __ATOMIC_ACQUIRE) &&
		       yields++ < YIELDS_MAX)
			sched_yield();
}

/* Pending signals would be delivered to a program that replaces this one. */
static void take_pending(void)
{
	static const struct timespec at_once;
	uint64_t signals = kymo_sample_signals(), before;

	syscall(SYS_rt_sigprocmask, SIG_BLOCK, &signals, &before, sizeof(signals));
	while (syscall(SYS_rt_sigtimedwait, &signals, NULL, &at_once, sizeof(signals)) > 0)
		;
	syscall(SYS_rt_sigprocmask, SIG_SETMASK, &before, NULL, sizeof(before));
}

/* The lock is held. */
static void sampler_stop_all(void)
{
	__atomic_store_n(&sampler_is_closed, true, __ATOMIC_SEQ_CST);
	threadstates_each (struct sampler_thread, state, &states)
		if (state->state.is_used)
			sampler_timers_pause(state);
	wait_for_handlers();
}

static void sampler_close_all(void)
{
	uint64_t before;

	sampler_lock(&before);
	sampler_stop_all();
	threadstates_each (struct sampler_thread, state, &states)
		if (state->state.is_used) {
			sampler_rest_flush(state);
			sampler_stream_end(state);
			sampler_totals_add(state);
		}
	sampler_unlock(before);
	take_pending();
	sampler_notes_write();
}

static void sampler_reopen(void)
{
	uint64_t before;

	sampler_lock(&before);
	__atomic_store_n(&sampler_is_closed, false, __ATOMIC_SEQ_CST);
	threadstates_each (struct sampler_thread, state, &states)
		if (state->state.is_used)
			sampler_timers_resume(state);
	sampler_unlock(before);
}

static void sampler_on_closing(bool is_closing)
{
	KEEP_ERRNO();

	if (kymo_runtime_is_restricted()) /* closed already, and no system call is allowed */
		return;
	if (getpid() == owner && is_closing)
		sampler_close_all();
	else if (getpid() == owner)
		sampler_reopen();
}

/* Timers armed by the child of a fork would kill the program that replaces it. */
static void on_replacing(bool is_begun)
{
	KEEP_ERRNO();
	uint64_t before;

	if (kymo_runtime_is_restricted() || getpid() != owner)
		return;
	if (is_begun) {
		sampler_lock(&before);
		sampler_stop_all();
		sampler_unlock(before);
		take_pending();
	} else {
		sampler_reopen();
	}
}

static bool sampler_give(int signal)
{
	bool is_given;

	__atomic_store_n(&sampler_is_closed, true, __ATOMIC_SEQ_CST);
	threadstates_each (struct sampler_thread, state, &states)
		if (state->state.is_used)
			sampler_timers_pause(state);
	wait_for_handlers();
	is_given = sampler_signal_give(signal);
	__atomic_store_n(&sampler_is_closed, false, __ATOMIC_SEQ_CST);
	threadstates_each (struct sampler_thread, state, &states) {
		if (!state->state.is_used)
			continue;
		if (is_given)
			sampler_timers_move(state);
		sampler_timers_resume(state);
	}
	return is_given;
}

/* The program requests a signal for itself. */
static bool on_want(int signal)
{
	KEEP_ERRNO();
	bool is_given = false;
	uint64_t before;

	if (getpid() != owner)
		return false;
	sampler_lock(&before);
	if (!__atomic_load_n(&sampler_is_closed, __ATOMIC_RELAXED))
		is_given = sampler_give(signal);
	sampler_unlock(before);
	return is_given;
}

static const struct kymo_thread_listener listener = {.begin = sampler_on_begin,
						     .end = sampler_on_end,
						     .forked = sampler_on_fork,
						     .closing = sampler_on_closing,
						     .replacing = on_replacing};

static void sampler_on_open(void)
{
	if (!sampler_plan_read() || !sampler_scratch_init() || !sampler_handler_install())
		return;
	owner = getpid();
	kymo_modules_watch();
	unwind_learn();
	sampler_interpreter_init();
	kymo_sample_mark();
	kymo_thread_listen(&listener);
	kymo_signal_yield_set(on_want);
}

__attribute__((constructor)) static void begin(void)
{
	KEEP_ERRNO();

	kymo_runtime_on_open(sampler_on_open);
}
