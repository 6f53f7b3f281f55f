/* The end of a recording while threads may still run.
 *
 * They cannot be stopped, so they are locked out: the session's state and the header's gate
 * change, a barrier makes every thread see it or be seen as busy, and busy threads are waited
 * for.  Then no thread writes into a tree but the closing one. */
#include "runtime/lifecycle/quiesce.h"

#include <linux/membarrier.h>
#include <sched.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "platform/ticks.h"
#include "platform/usage.h"
#include "runtime/control/gate.h"
#include "runtime/lifecycle/session.h"
#include "runtime/store/callpath.h"
#include "runtime/store/store.h"
#include "runtime/threads/positions.h"
#include "runtime/threads/thread.h"
#include "runtime/threads/threadname.h"
#include "runtime/user/userstack.h"

/* A thread that left its guard by siglongjmp() stays busy for ever. */
#define YIELDS_MAX 10000

/* Make all running threads pass a memory barrier. */
static void ending_barrier(void)
{
	syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
	if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) < 0)
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
}

static bool is_other(const struct kymo_thread *thread)
{
	return thread != kymo_thread_current && !thread->is_fiber;
}

static bool has_others(void)
{
	for (const struct kymo_thread *thread = thread_list; thread; thread = thread->next)
		if (is_other(thread))
			return true;
	return false;
}

static void wait_for_others(void)
{
	unsigned yields = 0;

	if (session.is_restricted) {
		__atomic_thread_fence(__ATOMIC_SEQ_CST);
		return;
	}
	ending_barrier();
	for (const struct kymo_thread *thread = thread_list; thread; thread = thread->next)
		while (is_other(thread) && __atomic_load_n(&thread->busy, __ATOMIC_ACQUIRE) &&
		       yields++ < YIELDS_MAX)
			sched_yield();
}

/* The clock of another thread's CPU time, as the kernel encodes it. */
static clockid_t ending_clock_of(const struct kymo_thread *thread)
{
	if (thread == kymo_thread_current)
		return CLOCK_THREAD_CPUTIME_ID;
	return (clockid_t)(~(unsigned)thread->record->system_id << 3 | 6);
}

static void ending_end_thread(struct kymo_thread *thread, uint32_t last, uint64_t now)
{
	uint64_t cpu_ns;

	gate_catch_up(thread, last);
	thread->outermost = 0;
	thread_unwind(thread, now);
	thread->blocked |= 1u << 31;
	callpath_node_close(thread->root, now);
	position_end(thread, now);
	thread->record->end_ticks = now; /* of what is recorded, though the thread may continue */
	if (thread->is_fiber || session.is_restricted)
		return;
	cpu_ns = usage_clock_ns(ending_clock_of(thread));
	if (cpu_ns > thread->cpu_start_ns)
		thread->record->cpu_ns = cpu_ns - thread->cpu_start_ns;
	thread_record_waits(thread);
	if (thread == kymo_thread_current)
		threadname_inherit(thread);
	else
		threadname_look_up(thread);
}

void threads_end(void)
{
	uint32_t last;
	uint64_t now;

	gate_latest();
	if (kymo_thread_current && kymo_thread_current->record)
		user_finish(kymo_thread_current);
	__atomic_store_n(&session.state, KYMO_RUNTIME_CLOSED, __ATOMIC_SEQ_CST);
	last = gate_shut();
	if (has_others())
		wait_for_others();
	now = ticks_now();
	for (struct kymo_thread *thread = thread_list; thread; thread = thread->next)
		ending_end_thread(thread, last, now);
}
