/* The process that stops all threads (threadstop.h), and what may prevent it from doing so.
 *
 * A thread in uninterruptible sleep may be in vfork(), whose child runs in this memory: it is
 * waited for a little, then all are resumed and nothing was done. */
#include "collectors/functions/threads/funcpatch_stop.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "base/pages.h"
#include "collectors/functions/funcpatch_call.h"
#include "platform/proc/proc_file.h"
#include "platform/proc/proc_status.h"
#include "platform/rawcall.h"

#define THREADS_MAX 4096u
#define STACK_BYTES (64u << 10)
#define STOP_NS	    UINT64_C(20000000) /* for all of them to stop */
#define REST_NS	    UINT64_C(2000000000)
#define DECLARE_NS  UINT64_C(1000000000)

static struct stopping { /* one at a time: the helper's */
	funcpatch_stop_fn work;
	void *context;
	bool is_done, is_forbidden;
	bool must_declare; /* Yama: the tracer has to be declared before */
	int32_t is_declared;
	uint64_t lasted_ns;
	_Alignas(64) char stack[STACK_BYTES];
	struct threadstop stop;
	struct threadstop_thread threads[THREADS_MAX];
} * stopping;

static int64_t filters_before = -1; /* seccomp filters when the program began */

static int stop_and_work(void *unused)
{
	uint64_t begun_ns = threadstop_now_ns();
	enum threadstop_result result;

	(void)unused;
	while (stopping->must_declare &&
	       !__atomic_load_n(&stopping->is_declared, __ATOMIC_ACQUIRE) &&
	       threadstop_now_ns() - begun_ns < DECLARE_NS)
		threadstop_delay();
	begun_ns = threadstop_now_ns();
	result = threadstop_all(&stopping->stop, begun_ns + STOP_NS);
	stopping->is_forbidden = result == THREADSTOP_REFUSED && stopping->stop.error == EPERM;
	if (result == THREADSTOP_DONE)
		stopping->is_done = stopping->work(&stopping->stop, stopping->context);
	threadstop_resume(&stopping->stop);
	stopping->lasted_ns = threadstop_now_ns() - begun_ns;
	if (!stopping->is_done)
		threadstop_resume_rest(&stopping->stop, threadstop_now_ns() + REST_NS, true);
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

	stopping->is_done = stopping->is_forbidden = false;
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

/* False: /proc has another pid namespace than this process. */
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

/* Seccomp filters installed later are the program's, which may kill it for a call that it never
 * makes itself. */
static int64_t filters(void)
{
	char status[PROC_STATUS_BYTES];
	int32_t process = (int32_t)raw_call(SYS_getpid, 0, 0, 0);
	int32_t thread = (int32_t)raw_call(SYS_gettid, 0, 0, 0);
	int64_t count;

	if (!is_own_proc() || proc_read(process, thread, "status", status, sizeof(status)) <= 0)
		return INT64_MAX;
	if (proc_status_number(status, "Seccomp", 10) <= 0)
		return 0;
	count = proc_status_number(status, "Seccomp_filters", 10);
	return count < 0 || proc_status_number(status, "Seccomp", 10) != 2 ? INT64_MAX : count;
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
	stopping->stop.process = (int32_t)raw_call(SYS_getpid, 0, 0, 0);
	stopping->stop.except = (int32_t)raw_call(SYS_gettid, 0, 0, 0);
	stopping->stop.threads = stopping->threads;
	stopping->stop.capacity = THREADS_MAX;
	stopping->stop.is_yielding = true;
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
