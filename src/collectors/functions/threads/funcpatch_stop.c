/* The process that stops all threads: asked all at once, waited for, let go.
 *
 * A thread that sleeps in the kernel where nothing stops it may be in vfork(), whose child runs
 * in this memory: it is waited for a little, then all go on and nothing was done.  When this
 * process dies, the kernel lets its threads go. */
#include "collectors/functions/threads/funcpatch_stop.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "base/pages.h"
#include "base/signalmask.h"
#include "collectors/functions/funcpatch_proc.h"
#include "collectors/functions/threads/funcpatch_waiting.h"
#include "patch/apply/patchapply_raw.h"

#define STACK_BYTES  (64u << 10)
#define STOP_NS	     UINT64_C(20000000) /* for all of them to stop */
#define REST_NS	     UINT64_C(2000000000)
#define DECLARE_NS   UINT64_C(1000000000)
#define PAUSE_NS     50000
#define YIELDS	     20
#define STATUS_BYTES 4096u

static struct stopping { /* one at a time: the helper's */
	funcpatch_stop_fn work;
	void *context;
	int32_t process, except;
	bool is_done, is_forbidden, is_first_gone;
	bool must_declare; /* Yama: who traces has to be named before */
	int32_t is_declared;
	uint64_t lasted_ns;
	uint32_t asked; /* in this pass */
	_Alignas(64) char stack[STACK_BYTES];
	struct funcpatch_stop stop;
} * stopping;

static int64_t filters_before = -1; /* seccomp's, when the program began */

static uint64_t stop_now_ns(void)
{
	struct timespec time = {0, 0};

	raw_call(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&time, 0);
	return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void stop_nap(void)
{
	struct timespec time = {0, PAUSE_NS};

	raw_call(SYS_nanosleep, (long)&time, 0, 0);
}

static long trace(long request, int32_t id, long address, long data)
{
	return raw_call6(SYS_ptrace, request, id, address, data, 0, 0);
}

/* Signals that a handler of the program is about to take are the reason of an EINTR, not the
 * stop.  Ignored ones are not, though they wake a thread that is traced. */
static bool stop_has_signals(const struct funcpatch_stopped *thread)
{
	char status[STATUS_BYTES];
	int64_t waiting;

	if (proc_read(stopping->process, thread->id, "status", status, sizeof(status)) <= 0)
		return true;
	waiting = proc_number(status, "SigPnd", 16) | proc_number(status, "ShdPnd", 16);
	waiting &= ~proc_number(status, "SigBlk", 16);
	if (thread->signal)
		waiting |= (int64_t)(UINT64_C(1) << (thread->signal - 1));
	return (waiting & proc_number(status, "SigCgt", 16)) != 0;
}

static void stop_let_go(struct funcpatch_stopped *thread)
{
	struct funcpatch_call call;

	if (funcpatch_registers_read(thread, &call) && call.is_interrupted &&
	    waiting_can_repeat(call.number) && !stop_has_signals(thread))
		funcpatch_registers_repeat(thread->id);
	trace(PTRACE_DETACH, thread->id, 0, thread->signal);
}

/* The first thread goes on first: while it has a tracer the kernel does not drop signals that
 * the program ignores, but wakes some thread for them. */
static void stop_go_on(struct funcpatch_stop *stop)
{
	for (uint32_t i = stop->count; i-- > 0;)
		if (stop->threads[i].id == stopping->process && stop->threads[i].has_stopped)
			stop_let_go(&stop->threads[i]);
	for (uint32_t i = stop->count; i-- > 0;)
		if (stop->threads[i].id != stopping->process && stop->threads[i].has_stopped)
			stop_let_go(&stop->threads[i]);
}

/* As in a stat file: X when it is gone, 0 when that cannot be told. */
static char stop_state_of(int32_t id)
{
	char text[512], *at = text, *behind = text;
	long got = proc_read(stopping->process, id, "stat", text, sizeof(text));

	for (; *at; at++)
		if (*at == ')')
			behind = at;
	if (behind != text && behind[1] == ' ')
		return behind[2];
	return got == -ENOENT || got == -ESRCH ? 'X' : 0;
}

/* Zombies among them: the first thread may have ended before the others. */
static bool stop_has_ended(int32_t id)
{
	char state = stop_state_of(id);

	return state == 'Z' || state == 'X';
}

static bool stop_is_known(int32_t id)
{
	for (uint32_t i = 0; i < stopping->stop.count; i++)
		if (stopping->stop.threads[i].id == id)
			return true;
	return false;
}

/* False: it may not be stopped. */
static bool stop_ask(int32_t id)
{
	struct funcpatch_stop *stop = &stopping->stop;
	struct funcpatch_stopped *thread = &stop->threads[stop->count];
	long result;

	if (id == stopping->except || stop_is_known(id))
		return true;
	if (stop->count == FUNCPATCH_STOP_THREADS_MAX)
		return false;
	result = trace(PTRACE_SEIZE, id, 0, 0);
	if (result < 0 && (result == -ESRCH || stop_has_ended(id))) {
		stopping->is_first_gone |= id == stopping->process;
		return true;
	}
	stopping->is_forbidden |= result == -EPERM;
	if (result < 0)
		return false;
	trace(PTRACE_INTERRUPT, id, 0, 0);
	thread->id = id;
	thread->signal = 0;
	thread->has_stopped = false;
	stop->count++;
	stopping->asked++;
	return true;
}

/* The first thread is the last to be asked: stop_go_on(). */
static bool ask_other(int32_t id, void *is_refused)
{
	if (id != stopping->process && !stop_ask(id))
		*(bool *)is_refused = true;
	return !*(bool *)is_refused;
}

/* False: it is gone. */
static bool stop_look(struct funcpatch_stopped *thread)
{
	struct funcpatch_call call;
	int status = 0;
	long who = raw_call6(SYS_wait4, thread->id, (long)&status, __WALL | WNOHANG, 0, 0, 0);

	if (who == 0 || who == -EINTR)
		return true;
	if (who < 0 || !WIFSTOPPED(status))
		return false;
	thread->signal = status >> 16 == PTRACE_EVENT_STOP ? 0 : WSTOPSIG(status);
	thread->has_stopped = funcpatch_registers_read(thread, &call);
	return true;
}

/* True: all that are known have stopped, or are gone. */
static bool stop_wait_for_all(uint64_t until_ns)
{
	struct funcpatch_stop *stop = &stopping->stop;

	for (int round = 0;; round++) {
		bool is_any = false;

		for (uint32_t i = stop->count; i-- > 0;) {
			struct funcpatch_stopped *thread = &stop->threads[i];

			if (thread->has_stopped)
				continue;
			if (stop_look(thread))
				is_any |= !thread->has_stopped;
			else
				raw_copy(thread, &stop->threads[--stop->count], sizeof(*thread));
		}
		if (!is_any)
			return true;
		if (stop_now_ns() > until_ns)
			return false;
		if (round < YIELDS)
			raw_call(SYS_sched_yield, 0, 0, 0);
		else
			stop_nap();
	}
}

/* Those that did not stop in time have been woken all the same, and the system call that they
 * were in is to be made again.  Who sleeps where nothing wakes it is let go by the kernel when
 * this process ends. */
static void let_rest_go(void)
{
	struct funcpatch_stop *stop = &stopping->stop;
	uint64_t until_ns = stop_now_ns() + REST_NS;

	for (uint32_t i = stop->count; i-- > 0;) {
		struct funcpatch_stopped *thread = &stop->threads[i];

		if (thread->has_stopped)
			continue;
		while (stop_look(thread) && !thread->has_stopped &&
		       stop_state_of(thread->id) != 'D' && stop_now_ns() < until_ns)
			stop_nap();
		if (thread->has_stopped)
			stop_let_go(thread);
	}
}

/* The list of threads may miss one while another ends: none is missing when there are as many
 * as the kernel counts, the one that asked among them, and a first one that has ended. */
static bool stop_are_all_known(void)
{
	int64_t known = (int64_t)stopping->stop.count + 1 + stopping->is_first_gone;
	char status[STATUS_BYTES];

	return proc_read(stopping->process, 0, "status", status, sizeof(status)) > 0 &&
	       proc_number(status, "Threads", 10) <= known;
}

static bool funcpatch_stop_all(uint64_t until_ns)
{
	do {
		bool is_refused = false;

		stopping->asked = 0;
		if (!proc_threads(stopping->process, ask_other, &is_refused) || is_refused ||
		    (stopping->process != stopping->except && !stop_ask(stopping->process)) ||
		    !stop_wait_for_all(until_ns) || stop_now_ns() > until_ns)
			return false;
	} while (stopping->asked || !stop_are_all_known());
	return true;
}

static int stop_and_work(void *unused)
{
	uint64_t begun_ns = stop_now_ns();

	(void)unused;
	while (stopping->must_declare &&
	       !__atomic_load_n(&stopping->is_declared, __ATOMIC_ACQUIRE) &&
	       stop_now_ns() - begun_ns < DECLARE_NS)
		stop_nap();
	begun_ns = stop_now_ns();
	if (funcpatch_stop_all(begun_ns + STOP_NS))
		stopping->is_done = stopping->work(&stopping->stop, stopping->context);
	stop_go_on(&stopping->stop);
	stopping->lasted_ns = stop_now_ns() - begun_ns;
	if (!stopping->is_done)
		let_rest_go();
	return 0;
}

static void declare(long id)
{
	raw_call6(SYS_prctl, PR_SET_PTRACER, id, 0, 0, 0, 0);
	__atomic_store_n(&stopping->is_declared, 1, __ATOMIC_RELEASE);
}

static bool stop_attempt(void)
{
	long id;

	stopping->is_done = stopping->is_forbidden = stopping->is_first_gone = false;
	stopping->is_declared = 0;
	stopping->stop.count = 0;
	id = funcpatch_process_make(stop_and_work, stopping->stack + STACK_BYTES);
	if (id < 0)
		return false;
	if (stopping->must_declare)
		declare(id);
	while (raw_call6(SYS_wait4, id, 0, (long)__WALL, 0, 0, 0) == -EINTR)
		continue;
	if (stopping->must_declare)
		raw_call6(SYS_prctl, PR_SET_PTRACER, 0, 0, 0, 0, 0);
	return stopping->is_done;
}

static bool is_yama_in_the_way(void)
{
	char text[8];
	long fd = raw_call6(SYS_openat, AT_FDCWD, (long)"/proc/sys/kernel/yama/ptrace_scope",
			    O_RDONLY | O_CLOEXEC, 0, 0, 0);
	long got = fd < 0 ? fd : raw_call(SYS_read, fd, (long)text, sizeof(text));

	if (fd >= 0)
		raw_call(SYS_close, fd, 0, 0);
	return got > 0 && text[0] == '1';
}

/* False: /proc counts processes in another way than this one does. */
static bool is_own_proc(void)
{
	char text[16];
	int64_t number = 0;
	long got =
		raw_call6(SYS_readlinkat, -1, (long)"/proc/self", (long)text, sizeof(text), 0, 0);

	for (long i = 0; i < got; i++)
		number = number * 10 + (text[i] - '0');
	return got > 0 && number == raw_call(SYS_getpid, 0, 0, 0);
}

/* Filters of system calls that came after the beginning are the program's own, which may end it
 * for a call that it never makes. */
static int64_t filters(void)
{
	char status[STATUS_BYTES];
	int32_t process = (int32_t)raw_call(SYS_getpid, 0, 0, 0);
	int32_t thread = (int32_t)raw_call(SYS_gettid, 0, 0, 0);
	int64_t count;

	if (!is_own_proc() || proc_read(process, thread, "status", status, sizeof(status)) <= 0)
		return INT64_MAX;
	if (proc_number(status, "Seccomp", 10) <= 0)
		return 0;
	count = proc_number(status, "Seccomp_filters", 10);
	return count < 0 || proc_number(status, "Seccomp", 10) != 2 ? INT64_MAX : count;
}

void funcpatch_stop_init(void)
{
	filters_before = filters();
}

bool funcpatch_stopped(funcpatch_stop_fn work, void *context)
{
	int64_t filters_now = filters();

	if (filters_now == INT64_MAX || filters_now != filters_before)
		return false;
	if (!stopping)
		stopping = pages_new(sizeof(*stopping));
	if (!stopping)
		return false;
	stopping->work = work;
	stopping->context = context;
	stopping->process = (int32_t)raw_call(SYS_getpid, 0, 0, 0);
	stopping->except = (int32_t)raw_call(SYS_gettid, 0, 0, 0);
	if (stop_attempt())
		return true;
	if (!stopping->is_forbidden || stopping->must_declare || !is_yama_in_the_way())
		return false;
	stopping->must_declare = true;
	return stop_attempt();
}

uint64_t funcpatch_stop_lasted_ns(void)
{
	return stopping ? stopping->lasted_ns : 0;
}

bool funcpatch_stopped_set_pc(struct funcpatch_stopped *thread, uint64_t pc)
{
	if (!funcpatch_registers_set_pc(thread->id, pc))
		return false;
	thread->pc = pc;
	return true;
}

/* The kernel would take that away for good. */
static bool stop_ignores_steps(const struct funcpatch_stopped *thread)
{
	char status[STATUS_BYTES];

	return proc_read(stopping->process, thread->id, "status", status, sizeof(status)) <= 0 ||
	       ((uint64_t)proc_number(status, "SigIgn", 16) & signalmask_bit(SIGTRAP));
}

bool funcpatch_stopped_step(struct funcpatch_stopped *thread)
{
	uint64_t mask, held = signalmask_held();
	struct funcpatch_call call;
	bool has_stepped;
	int status = 0;
	long who = 0;

	if (stop_ignores_steps(thread) ||
	    trace(PTRACE_GETSIGMASK, thread->id, sizeof(mask), (long)&mask) < 0 ||
	    trace(PTRACE_SETSIGMASK, thread->id, sizeof(mask), (long)&held) < 0)
		return false;
	has_stepped = trace(PTRACE_SINGLESTEP, thread->id, 0, 0) == 0;
	while (has_stepped && who <= 0) {
		who = raw_call6(SYS_wait4, thread->id, (long)&status, __WALL, 0, 0, 0);
		has_stepped = who > 0 || who == -EINTR;
	}
	has_stepped = has_stepped && WIFSTOPPED(status) && WSTOPSIG(status) == SIGTRAP;
	return trace(PTRACE_SETSIGMASK, thread->id, sizeof(mask), (long)&mask) == 0 &&
	       has_stepped && funcpatch_registers_read(thread, &call);
}
