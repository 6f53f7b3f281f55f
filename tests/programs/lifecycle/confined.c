/* A program that gives up rights and system calls, step by step: confined STEP...
 *
 * "child" does the steps that follow in a child, and tells how it ended; "work" comes at the end
 * of every list.  What is given up is given up by what programs use for it: prctl(), seccomp by
 * syscall(), and an instruction of their own that no library sees. */
#define _GNU_SOURCE
#include <errno.h>
#include <grp.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534
#define ROUNDS 100

static volatile uint64_t sink;

__attribute__((noinline)) void spin(int turns)
{
	for (int i = 0; i < turns; i++)
		sink += (uint64_t)i;
}

__attribute__((noinline)) void each(int round)
{
	spin(100000 + round);
}

__attribute__((noinline)) void work(void)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

	for (int round = 0; round < ROUNDS; round++) {
		pthread_mutex_lock(&lock);
		each(round);
		pthread_mutex_unlock(&lock);
	}
}

static void say(const char *text)
{
	(void)!write(STDOUT_FILENO, text, strlen(text));
}

static void need(int result, const char *what)
{
	if (result == 0)
		return;
	fprintf(stderr, "%s: %s\n", what, strerror(errno));
	exit(3);
}

static void limit(int resource)
{
	static const struct rlimit none;

	need(setrlimit(resource, &none), "setrlimit");
}

static void drop(void)
{
	need(setgroups(0, NULL), "setgroups");
	need(setresgid(NOBODY, NOBODY, NOBODY), "setresgid");
	need(setresuid(NOBODY, NOBODY, NOBODY), "setresuid");
}

static void change_root(void)
{
	need(chroot("."), "chroot");
	need(chdir("/"), "chdir");
}

#define NUMBER	   BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))
#define LET(call)  BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_##call, 0, 1), PASS
#define PASS	   BPF_STMT(BPF_RET, SECCOMP_RET_ALLOW)
#define ENOUGH(it) (sizeof(it) / sizeof(*(it)))

static uint32_t refusal = SECCOMP_RET_KILL_PROCESS;
static int can_fork;

static struct sock_fprog *filter(void)
{
	static struct sock_filter few[] = {NUMBER, LET(write), LET(exit_group), LET(rt_sigreturn),
					   BPF_STMT(BPF_RET, 0)};
	static struct sock_filter more[] = {NUMBER,
					    LET(write),
					    LET(exit_group),
					    LET(rt_sigreturn),
					    LET(clone),
					    LET(set_robust_list),
					    LET(wait4),
					    LET(rt_sigprocmask),
					    BPF_STMT(BPF_RET, 0)};
	static struct sock_fprog program;

	few[ENOUGH(few) - 1].k = refusal;
	more[ENOUGH(more) - 1].k = refusal;
	program.filter = can_fork ? more : few;
	program.len = can_fork ? ENOUGH(more) : ENOUGH(few);
	return &program;
}

static void no_new_rights(void)
{
	need(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), "no new privileges");
}

/* As libraries do that are linked statically, or written in other languages. */
static long bare_call(long number, long first, long second, long third)
{
	long result;
#if defined(__x86_64__)
	register long r10 __asm__("r10") = 0;

	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"(number), "D"(first), "S"(second), "d"(third), "r"(r10)
			 : "rcx", "r11", "memory");
#else
	register long x8 __asm__("x8") = number, x0 __asm__("x0") = first;
	register long x1 __asm__("x1") = second, x2 __asm__("x2") = third, x3 __asm__("x3") = 0;

	__asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
	result = x0;
#endif
	return result;
}

/* What ends it where it is not killed. */
static void on_trap(int number)
{
	(void)number;
	say("trapped\n");
}

static void filter_by_prctl(void)
{
	no_new_rights();
	need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, filter()), "prctl");
}

static void filter_by_seccomp(unsigned flags)
{
	no_new_rights();
	need((int)syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, filter()), "seccomp");
}

static void filter_bare(void)
{
	no_new_rights();
	need((int)bare_call(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, (long)filter()), "seccomp");
}

static void strict(void)
{
	need(prctl(PR_SET_SECCOMP, SECCOMP_MODE_STRICT), "strict");
}

static volatile int spinning; /* threads; by atomic operations */

static void *busy(void *unused)
{
	__atomic_add_fetch(&spinning, 1, __ATOMIC_RELEASE);
	for (;;)
		spin(1000000);
	return unused;
}

static void start_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < 2; i++)
		need(pthread_create(&thread, NULL, busy, NULL), "pthread_create");
	/* What the C library itself has to do in them is done. */
	while (__atomic_load_n(&spinning, __ATOMIC_ACQUIRE) < 2)
		sched_yield();
}

static int tell(pid_t child)
{
	int status;

	while (waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return 4;
	if (WIFSIGNALED(status))
		printf("child: signal %d\n", WTERMSIG(status));
	else
		printf("child: status %d\n", WEXITSTATUS(status));
	fflush(stdout);
	return 0;
}

static void in_child(void)
{
	pid_t child;

	fflush(stdout);
	child = fork();
	if (child == 0)
		return;
	need(child < 0, "fork");
	exit(tell(child));
}

/* Behind the filter, without a word that the filter does not know. */
static void fork_confined(void)
{
	long child = bare_call(SYS_clone, SIGCHLD, 0, 0);
	int status = -1;

	if (child == 0) {
		work();
		say("in the child\n");
		bare_call(SYS_exit_group, 7, 0, 0);
	}
	if (bare_call(SYS_wait4, child, (long)&status, 0) != child || status != 7 << 8)
		say("the child was lost\n");
}

/* As above, by the C library. */
static void fork_plainly(void)
{
	pid_t child = (pid_t)syscall(SYS_clone, SIGCHLD, 0L, 0L, 0L, 0L);
	int status = -1;

	if (child == 0) {
		work();
		say("in the child\n");
		_exit(7);
	}
	if (waitpid(child, &status, 0) != child || status != 7 << 8)
		say("the child was lost\n");
}

static void do_step(const char *step)
{
	static const struct {
		const char *name;
		uint32_t action;
	} refusals[] = {{"kill", SECCOMP_RET_KILL_PROCESS},
			{"errno", SECCOMP_RET_ERRNO | EPERM},
			{"trap", SECCOMP_RET_TRAP}};

	for (size_t i = 0; i < ENOUGH(refusals); i++)
		if (!strcmp(step, refusals[i].name))
			refusal = refusals[i].action;
	if (!strcmp(step, "child"))
		in_child();
	else if (!strcmp(step, "fsize"))
		limit(RLIMIT_FSIZE);
	else if (!strcmp(step, "nofile"))
		limit(RLIMIT_NOFILE);
	else if (!strcmp(step, "nproc"))
		limit(RLIMIT_NPROC);
	else if (!strcmp(step, "chroot"))
		change_root();
	else if (!strcmp(step, "drop"))
		drop();
	else if (!strcmp(step, "trap"))
		signal(SIGSYS, on_trap);
	else if (!strcmp(step, "may-fork"))
		can_fork = 1;
	else if (!strcmp(step, "prctl"))
		filter_by_prctl();
	else if (!strcmp(step, "seccomp"))
		filter_by_seccomp(0);
	else if (!strcmp(step, "tsync"))
		filter_by_seccomp(SECCOMP_FILTER_FLAG_TSYNC);
	else if (!strcmp(step, "bare"))
		filter_bare();
	else if (!strcmp(step, "strict"))
		strict();
	else if (!strcmp(step, "threads"))
		start_threads();
	else if (!strcmp(step, "fork"))
		fork_confined();
	else if (!strcmp(step, "fork-plainly"))
		fork_plainly();
}

/* Ends: "return" from main() with all handlers, "exit-bare" and otherwise _exit(). */
int main(int argc, char **argv)
{
	int returns = argc > 1 && !strcmp(argv[argc - 1], "return");
	int is_strict = argc > 1 && !strcmp(argv[argc - 1], "exit-thread");

	say("begun\n");
	for (int i = 1; i < argc; i++)
		do_step(argv[i]);
	work();
	say("done\n");
	if (returns)
		return 5;
	if (is_strict)
		bare_call(SYS_exit, 5, 0, 0);
	_exit(5);
}
