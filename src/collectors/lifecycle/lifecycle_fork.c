/* Forks that run no handlers of pthread_atfork(): _Fork(), clone() and the system calls.  The
 * child has a copy of the parent's memory but shares its recording's pages: without a
 * notification it would continue to write there. */
#include "collectors/lifecycle/lifecycle_fork.h"

#include <fcntl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "collectors/lifecycle/lifecycle_exec.h"
#include "collectors/lifecycle/lifecycle_exit.h"
#include "collectors/lifecycle/lifecycle_rights.h"
#include "collectors/wrap.h"
#include "runtime/control/signalshare.h"
#include "runtime/lifecycle/forking.h"
#include "runtime/lifecycle/lifecycle.h"

typedef pid_t (*fork_fn)(void);
typedef int (*clone_fn)(int (*)(void *), void *, int, void *, ...);
typedef long (*system_call_fn)(long, ...);

typedef int (*register_fn)(void (*)(void), void (*)(void), void (*)(void), void *);

WRAP_SLOT(__register_atfork);
WRAP_SLOT(_Fork);
WRAP_SLOT(clone);
WRAP_SLOT(syscall);

void lifecycle_fork_resolve(void)
{
	(void)WRAP_REAL(__register_atfork, register_fn);
	(void)WRAP_REAL(_Fork, fork_fn);
	(void)WRAP_REAL(clone, clone_fn);
	(void)WRAP_REAL(syscall, system_call_fn);
}

/* Sampling could not distinguish the number from that of the caller. */
static long real_system_call(long number, const long arguments[6])
{
	struct kymo_handed *handed = &kymo_handed_current, outer = *handed;
	long result;

	handed->number = (uint32_t)number;
	__atomic_store_n(&handed->stack, (uintptr_t)__builtin_frame_address(0), __ATOMIC_RELAXED);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	result =
		WRAP_REAL(syscall, system_call_fn)(number, arguments[0], arguments[1], arguments[2],
						   arguments[3], arguments[4], arguments[5]);
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	*handed = outer;
	return result;
}

static long forked(long result)
{
	KEEP_ERRNO();

	if (result == 0)
		kymo_fork_child();
	else
		kymo_fork_parent();
	return result;
}

/* Kymo's handlers run before those of others: an allocator's take locks that other threads hold
 * while they wait for the recording's lock, and in the child they must not run before Kymo's. */
int lifecycle_register_handlers(void (*before)(void), void (*in_parent)(void),
				void (*in_child)(void), void *object)
{
	(void)kymo_fork_follow();
	return WRAP_REAL(__register_atfork, register_fn)(before, in_parent, in_child, object);
}

pid_t lifecycle_fork_bare(void)
{
	static const long plain[6] = {SIGCHLD};
	fork_fn real = WRAP_REAL(_Fork, fork_fn);

	kymo_fork_before();
	if (!real) /* an older C library */
		return (pid_t)forked(real_system_call(SYS_clone, plain));
	return (pid_t)forked(real());
}

/* The C library's own forks without calling a wrapper, and ends the parent likewise. */
int lifecycle_daemon(int stays, int keeps_streams)
{
	pid_t child = fork();
	int null;

	if (child < 0)
		return -1;
	if (child > 0)
		lifecycle_exit_now(0);
	if (setsid() < 0)
		return -1;
	if (!stays)
		(void)!chdir("/");
	if (keeps_streams)
		return 0;
	null = open("/dev/null", O_RDWR);
	if (null < 0)
		return -1;
	for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; stream++)
		dup2(null, stream);
	if (null > STDERR_FILENO)
		close(null);
	return 0;
}

static int fork_run(void *argument)
{
	const struct lifecycle_clone *call = argument;
	int status;

	kymo_fork_child();
	status = call->routine(call->argument);
	kymo_runtime_end(status & 0xff);
	return status;
}

int lifecycle_clone(const struct lifecycle_clone *call)
{
	clone_fn real = WRAP_REAL(clone, clone_fn);
	int result;

	if ((call->flags & CLONE_VM) || !call->routine || !call->stack)
		return real(call->routine, call->stack, call->flags, call->argument,
			    call->parent_id, call->thread_area, call->child_id);
	kymo_fork_before();
	result = real(fork_run, call->stack, call->flags, (void *)call, call->parent_id,
		      call->thread_area, call->child_id);
	kymo_fork_parent();
	return result;
}

static bool is_fork(long number, const long arguments[6])
{
	switch (number) {
#ifdef SYS_fork
	case SYS_fork:
		return true;
#endif
	case SYS_clone:
		return !(arguments[0] & CLONE_VM);
	case SYS_clone3:
		return arguments[0] &&
		       !(((const struct clone_args *)arguments[0])->flags & CLONE_VM);
	default:
		return false;
	}
}

/* seccomp() has no function of its own in the C library. */
static bool is_restriction(long number, const long arguments[6])
{
	if (number == SYS_prctl)
		return arguments[0] == PR_SET_SECCOMP;
	return number == SYS_seccomp &&
	       (arguments[0] == SECCOMP_SET_MODE_STRICT || arguments[0] == SECCOMP_SET_MODE_FILTER);
}

static long fork_restrict_calls(long number, const long arguments[6])
{
	bool is_strict = number == SYS_prctl ? arguments[1] == SECCOMP_MODE_STRICT
					     : arguments[0] == SECCOMP_SET_MODE_STRICT;
	bool has_begun = kymo_restrict_begin(is_strict);
	long result = real_system_call(number, arguments);

	if (has_begun)
		kymo_restrict_end(result >= 0);
	return result;
}

/* As by its functions: a timer must not expire in the new program, whose handlers it would call. */
static bool is_replacement(long number)
{
	return number == SYS_execve || number == SYS_execveat;
}

static long fork_execute(long number, const long arguments[6])
{
	if (number == SYS_execve)
		return lifecycle_execute((const char *)arguments[0], (char *const *)arguments[1],
					 (char *const *)arguments[2]);
	return lifecycle_execute_at((int)arguments[0], (const char *)arguments[1],
				    (char *const *)arguments[2], (char *const *)arguments[3],
				    (int)arguments[4]);
}

long lifecycle_system_call(long number, const long arguments[6])
{
	long result;

	if (kymo_unlikely(is_replacement(number)))
		return fork_execute(number, arguments);
	if (kymo_unlikely(is_restriction(number, arguments)))
		return fork_restrict_calls(number, arguments);
	if (kymo_unlikely(lifecycle_rights_give_up(number, arguments))) {
		result = real_system_call(number, arguments);
		lifecycle_rights_given_up();
		return result;
	}
	if (kymo_likely(!is_fork(number, arguments)))
		return real_system_call(number, arguments);
	kymo_fork_before();
	return forked(real_system_call(number, arguments));
}
