/* Signals that code raises by itself, while its functions are instrumented.
 *
 *   steps    the trap flag is on through calls of two threads: a handler counts
 *   trapped  system calls that the kernel turns into SIGSYS are made by its handler
 *   armed    the program has a handler of SIGTRAP, and raises it when a line comes
 *
 * Prints what the program saw of it; what Kymo adds in between is counted, too, so that only
 * bounds are known. */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#define CALLS 30000
#define FEW   20
#define OURS  UINT64_C(0x6b796d6f) /* the sixth argument of calls that the handler makes */

static volatile unsigned long steps, trapped, total;

__attribute__((noinline)) static unsigned long leaf(unsigned long value)
{
	__asm__ volatile("" : "+r"(value));
	return value * 3 + 1;
}

__attribute__((noinline)) static unsigned long middle(unsigned long value)
{
	return leaf(value) + leaf(value + 1);
}

__attribute__((noinline)) static void work(unsigned calls)
{
	for (unsigned i = 0; i < calls; i++)
		total += middle(i);
}

static void handle(int signal, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = {.sa_flags = SA_SIGINFO};

	action.sa_sigaction = handler;
	sigaction(signal, &action, NULL);
}

static void on_step(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info, (void)context;
	steps++;
}

static void set_trap_flag(int is_on)
{
	__asm__ volatile("lea -128(%%rsp), %%rsp\n"
			 "	pushfq\n"
			 "	andq $~0x100, (%%rsp)\n"
			 "	orq %0, (%%rsp)\n"
			 "	popfq\n"
			 "	lea 128(%%rsp), %%rsp\n"
			 :
			 : "r"(is_on ? UINT64_C(0x100) : UINT64_C(0))
			 : "memory", "cc");
}

/* Not while the C library makes threads, or ends them: it holds back all signals there. */
static void *step_apart(void *unused)
{
	(void)unused;
	set_trap_flag(1);
	work(FEW);
	set_trap_flag(0);
	return NULL;
}

static int step(unsigned calls)
{
	pthread_t thread;

	handle(SIGTRAP, on_step);
	set_trap_flag(1);
	work(calls);
	set_trap_flag(0);
	if (pthread_create(&thread, NULL, step_apart, NULL) != 0 || pthread_join(thread, NULL) != 0)
		return 1;
	printf("steps %d\n", steps > 20ul * (calls + FEW));
	return 0;
}

/* Of the thread as it is behind the handler. */
static void change_mask(uint64_t *mask, const greg_t *all)
{
	const uint64_t *set = (const uint64_t *)(uintptr_t)all[REG_RSI];
	uint64_t before = *mask;

	if (set && all[REG_RDI] == SIG_BLOCK)
		*mask |= *set;
	else if (set && all[REG_RDI] == SIG_UNBLOCK)
		*mask &= ~*set;
	else if (set)
		*mask = *set;
	if (all[REG_RDX])
		memcpy((void *)(uintptr_t)all[REG_RDX], &before, sizeof(before));
}

/* The handler makes the call itself, with a last argument that the filter knows. */
static void on_call(int signal, siginfo_t *info, void *context)
{
	greg_t *all = ((ucontext_t *)context)->uc_mcontext.gregs;
	long result;
	register long r10 __asm__("r10") = all[REG_R10];
	register long r8 __asm__("r8") = all[REG_R8];
	register long r9 __asm__("r9") = (long)OURS;

	(void)signal;
	trapped++;
	if (info->si_syscall == SYS_rt_sigprocmask) {
		change_mask((uint64_t *)&((ucontext_t *)context)->uc_sigmask, all);
		all[REG_RAX] = 0;
		return;
	}
	__asm__ volatile("syscall"
			 : "=a"(result)
			 : "a"((long)info->si_syscall), "D"(all[REG_RDI]), "S"(all[REG_RSI]),
			   "d"(all[REG_RDX]), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	all[REG_RAX] = result;
}

#define FIELD(field) (unsigned)offsetof(struct seccomp_data, field)
#define TRAP_CALL(number)                                                                          \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, number, 0, 1),                                         \
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_TRAP)

/* Harmless ones, of at most five arguments, which whoever records may make. */
static void trap_calls(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(args[5])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (unsigned)OURS, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, FIELD(nr)),
		TRAP_CALL(SYS_rt_sigprocmask),
		TRAP_CALL(SYS_madvise),
		TRAP_CALL(SYS_mremap),
		TRAP_CALL(SYS_munmap),
		TRAP_CALL(SYS_ftruncate),
		TRAP_CALL(SYS_fallocate),
		TRAP_CALL(SYS_getpid),
		TRAP_CALL(SYS_gettid),
		TRAP_CALL(SYS_sched_yield),
		TRAP_CALL(SYS_sigaltstack),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = {sizeof(code) / sizeof(*code), code};

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
	    syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program) != 0)
		exit(77);
}

static int be_trapped(unsigned calls)
{
	handle(SIGSYS, on_call);
	trap_calls();
	work(calls);
	printf("trapped %d\n", syscall(SYS_gettid) == syscall(SYS_getpid) && trapped >= 2);
	return 0;
}

static int be_armed(void)
{
	handle(SIGTRAP, on_step);
	puts("ready");
	fflush(stdout);
	while (getchar() != '\n')
		continue;
	__asm__ volatile("int3");
	raise(SIGTRAP);
	printf("armed %lu\n", steps);
	return 7;
}

int main(int argc, char **argv)
{
	const char *scene = argc > 1 ? argv[1] : "";
	unsigned calls = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : CALLS;

	if (strcmp(scene, "steps") == 0)
		return step(calls);
	if (strcmp(scene, "trapped") == 0)
		return be_trapped(calls);
	return strcmp(scene, "armed") == 0 ? be_armed() : 2;
}
