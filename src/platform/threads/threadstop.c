/* All are interrupted before the first is waited for: the time is that of the slowest, not the
 * sum.  A thread that is in the kernel for longer is already interrupted, and stops before its
 * next instruction; but what it does there may belong to another process that shares the memory,
 * as a child of vfork() does, so it is waited for. */
#include "platform/threads/threadstop.h"

#include <errno.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "base/signalmask.h"
#include "platform/proc/proc_file.h"
#include "platform/proc/proc_stat.h"
#include "platform/proc/proc_status.h"
#include "platform/rawcall.h"
#include "platform/systemclock.h"
#include "platform/threads/stoppedcall.h"

#define SPIN_PAUSE_NS	   10000
#define DELAY_NS	   50000
#define SHORT_PAUSE_ROUNDS 20u

uint64_t threadstop_now_ns(void)
{
	struct timespec time = {0, 0};

	raw_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&time, 0);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void threadstop_sleep(long length_ns)
{
	const struct timespec length = {0, length_ns};

	systemclock_sleep(&length);
}

void threadstop_delay(void)
{
	threadstop_sleep(DELAY_NS);
}

static long threadstop_trace(long request, int32_t id, long address, long data)
{
	return raw_call6(SYS_ptrace, request, id, address, data, 0, 0);
}

struct threadstop_thread *threadstop_find(const struct threadstop *stop, int32_t id)
{
	for (size_t i = 0; i < stop->count; i++)
		if (stop->threads[i].id == id)
			return &stop->threads[i];
	return NULL;
}

/* Field by field: no copy that a compiler would replace by a call of memcpy(). */
void threadstop_forget(struct threadstop *stop, struct threadstop_thread *thread)
{
	const struct threadstop_thread *last = &stop->threads[--stop->count];

	thread->id = last->id;
	thread->signal = last->signal;
	thread->has_stopped = last->has_stopped;
	thread->registers.pc = last->registers.pc;
	thread->registers.sp = last->registers.sp;
	thread->registers.fp = last->registers.fp;
	thread->registers.is_in_call = last->registers.is_in_call;
}

/* Reserve the entry first: an interrupted thread must be in the list, or it would never be
 * resumed. */
struct threadstop_thread *threadstop_add(struct threadstop *stop, int32_t id)
{
	struct threadstop_thread *thread;
	long result = -ENOMEM;

	if (stop->count < stop->capacity || (stop->grow && stop->grow(stop)))
		result = threadstop_trace(PTRACE_SEIZE, id, 0, 0);
	if (result < 0) {
		stop->refused = id;
		stop->error = (int)-result;
		return NULL;
	}
	threadstop_trace(PTRACE_INTERRUPT, id, 0, 0);
	thread = &stop->threads[stop->count++];
	thread->id = id;
	thread->signal = 0;
	thread->has_stopped = false;
	thread->registers.is_in_call = false; /* threadstop_forget() copies it, stopped or not */
	return thread;
}

long threadstop_detach(const struct threadstop_thread *thread)
{
	return threadstop_trace(PTRACE_DETACH, thread->id, 0, thread->signal);
}

/* If its registers are not readable it was killed just now, which the next check detects; or the
 * processor is unknown, and it would never be resumed. */
enum threadstop_arrival threadstop_check(struct threadstop_thread *thread)
{
	int status = 0;
	long who = raw_call6(SYS_wait4, thread->id, (long)&status, __WALL | WNOHANG, 0, 0, 0);

	if (who == 0 || who == -EINTR)
		return THREADSTOP_NOT_YET;
	if (who < 0 || !WIFSTOPPED(status))
		return THREADSTOP_EXITED;
	thread->signal = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
	thread->has_stopped = threadregs_read(thread->id, &thread->registers);
	if (thread->has_stopped)
		return THREADSTOP_ARRIVED;
	return threadstop_detach(thread) < 0 ? THREADSTOP_NOT_YET : THREADSTOP_EXITED;
}

/* False: it may not be stopped. */
static bool threadstop_interrupt_one(struct threadstop *stop, int32_t id)
{
	if (id == stop->except || threadstop_find(stop, id) || threadstop_add(stop, id))
		return true;
	if (stop->error != ESRCH && !proc_stat_has_ended(stop->process, id))
		return false;
	stop->error = 0;
	stop->has_first_ended |= id == stop->process;
	return true;
}

struct asking {
	struct threadstop *stop;
	size_t most; /* maximum of known threads */
	bool is_refused;
};

/* The first thread is interrupted last and resumed first.  While it has a tracer the kernel does
 * not drop signals that the program ignores, but wakes some thread for them, whose system call
 * then ends with EINTR: that must be one that has stopped. */
static bool threadstop_interrupt_other(int32_t id, void *context)
{
	struct asking *asking = context;
	struct threadstop *stop = asking->stop;

	asking->is_refused = id != stop->process && !threadstop_interrupt_one(stop, id);
	return !asking->is_refused && stop->count < asking->most;
}

enum threadstop_result threadstop_interrupt(struct threadstop *stop, size_t limit,
					    size_t *interrupted_out)
{
	const size_t before = stop->count;
	struct asking asking = {stop, limit < SIZE_MAX - before ? before + limit : SIZE_MAX, false};

	*interrupted_out = 0;
	if (!proc_threads(stop->process, threadstop_interrupt_other, &asking))
		return THREADSTOP_ENDED;
	if (asking.is_refused ||
	    (stop->count < asking.most && !threadstop_interrupt_one(stop, stop->process)))
		return THREADSTOP_REFUSED;
	*interrupted_out = stop->count - before;
	return THREADSTOP_DONE;
}

/* Not sched_yield() if the process is another one: on a busy machine that waits for all other
 * processes. */
static void threadstop_pause(const struct threadstop *stop, unsigned round)
{
	if (round >= SHORT_PAUSE_ROUNDS)
		threadstop_delay();
	else if (stop->is_yielding)
		raw_call(SYS_sched_yield, 0, 0, 0);
	else
		threadstop_sleep(SPIN_PAUSE_NS);
}

/* Check those that have not stopped yet.  Returns whether one is left, except those in
 * uninterruptible sleep if the end does not wait for them. */
static bool threadstop_check_all(struct threadstop *stop, bool is_ending)
{
	bool is_any = false;

	for (size_t i = stop->count; i-- > 0;) {
		struct threadstop_thread *thread = &stop->threads[i];

		if (thread->has_stopped)
			continue;
		if (threadstop_check(thread) == THREADSTOP_EXITED)
			threadstop_forget(stop, thread);
		else if (!thread->has_stopped)
			is_any |= !is_ending || proc_stat_state(stop->process, thread->id) != 'D';
	}
	return is_any;
}

bool threadstop_wait(struct threadstop *stop, uint64_t until_ns)
{
	for (unsigned round = 0;; round++) {
		if (!threadstop_check_all(stop, false))
			return true;
		if (threadstop_now_ns() > until_ns)
			return false;
		threadstop_pause(stop, round);
	}
}

/* The list of threads may miss one while another ends: it is complete if it has as many as the
 * kernel counts, including the one that is not interrupted, and a first one that has ended. */
static bool threadstop_are_all_known(const struct threadstop *stop)
{
	int64_t known = (int64_t)stop->count + (stop->except != 0) + stop->has_first_ended;
	int64_t count = proc_status_of(stop->process, 0, "Threads", 10);

	return count >= 0 && count <= known;
}

enum threadstop_result threadstop_all(struct threadstop *stop, uint64_t until_ns)
{
	enum threadstop_result result;
	unsigned clean = 0;
	size_t asked;

	stop->has_first_ended = false;
	do {
		result = threadstop_interrupt(stop, SIZE_MAX, &asked);
		if (result != THREADSTOP_DONE)
			return result;
		if (!threadstop_wait(stop, until_ns) ||
		    (!stop->clean_passes && threadstop_now_ns() > until_ns))
			return THREADSTOP_LATE;
		clean = asked ? 0 : clean + 1;
	} while (asked || ((!stop->clean_passes || clean < stop->clean_passes) &&
			   !threadstop_are_all_known(stop)));
	return THREADSTOP_DONE;
}

/* If a handler of the program is about to run for a pending signal, that is the reason of an
 * EINTR, not the stop.  Ignored signals are not, though they wake a traced thread. */
static bool threadstop_has_signals(const struct threadstop *stop,
				   const struct threadstop_thread *thread)
{
	char status[PROC_STATUS_BYTES];
	int64_t waiting;

	if (proc_read(stop->process, thread->id, "status", status, sizeof(status)) <= 0)
		return true;
	waiting =
		proc_status_number(status, "SigPnd", 16) | proc_status_number(status, "ShdPnd", 16);
	waiting &= ~proc_status_number(status, "SigBlk", 16);
	if (thread->signal)
		waiting |= (int64_t)signalmask_bit(thread->signal);
	return (waiting & proc_status_number(status, "SigCgt", 16)) != 0;
}

static void threadstop_resume_one(struct threadstop *stop, struct threadstop_thread *thread)
{
	if (stoppedcall_can_repeat(threadregs_ended_call(thread->id)) &&
	    !threadstop_has_signals(stop, thread))
		threadregs_repeat_call(thread->id);
	threadstop_detach(thread);
	threadstop_forget(stop, thread);
}

void threadstop_resume(struct threadstop *stop)
{
	struct threadstop_thread *first = threadstop_find(stop, stop->process);

	if (first && first->has_stopped)
		threadstop_resume_one(stop, first);
	for (size_t i = stop->count; i-- > 0;)
		if (stop->threads[i].has_stopped)
			threadstop_resume_one(stop, &stop->threads[i]);
}

/* They have been woken nevertheless, and their system call has to be restarted. */
void threadstop_resume_rest(struct threadstop *stop, uint64_t until_ns, bool is_ending)
{
	for (;;) {
		bool is_awaited = threadstop_check_all(stop, is_ending);

		threadstop_resume(stop);
		if (!is_awaited || threadstop_now_ns() >= until_ns)
			return;
		threadstop_delay();
	}
}

bool threadstop_set_pc(struct threadstop_thread *thread, uint64_t pc)
{
	if (!threadregs_set_pc(thread->id, pc))
		return false;
	thread->registers.pc = pc;
	return true;
}

/* The kernel would reset that permanently. */
static bool threadstop_ignores_steps(const struct threadstop_thread *thread)
{
	/* If unavailable, -1 means all signals. */
	return (uint64_t)proc_status_of(thread->id, 0, "SigIgn", 16) & signalmask_bit(SIGTRAP);
}

bool threadstop_step(struct threadstop_thread *thread)
{
	uint64_t mask, held = signalmask_blocked();
	bool has_stepped;
	int status = 0;
	long who = 0;

	if (threadstop_ignores_steps(thread) ||
	    threadstop_trace(PTRACE_GETSIGMASK, thread->id, sizeof(mask), (long)&mask) < 0 ||
	    threadstop_trace(PTRACE_SETSIGMASK, thread->id, sizeof(mask), (long)&held) < 0)
		return false;
	has_stepped = threadstop_trace(PTRACE_SINGLESTEP, thread->id, 0, 0) == 0;
	while (has_stepped && who <= 0) {
		who = raw_call6(SYS_wait4, thread->id, (long)&status, __WALL, 0, 0, 0);
		has_stepped = who > 0 || who == -EINTR;
	}
	has_stepped = has_stepped && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
	return threadstop_trace(PTRACE_SETSIGMASK, thread->id, sizeof(mask), (long)&mask) == 0 &&
	       has_stepped && threadregs_read(thread->id, &thread->registers);
}
