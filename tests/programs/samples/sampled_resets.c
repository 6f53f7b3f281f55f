/* Children that set all signals back to the default by the number of the system call, as libraries
 * do that start programs, and then go on, or become another program: sampled_resets [COUNT]. */
#define _GNU_SOURCE
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define SIGNALS	   64
#define MASK_BYTES 8

struct kernel_action {
	uintptr_t handler;
	unsigned long flags;
	uintptr_t restorer;
	uint64_t mask;
};

static volatile uint64_t sink;

static void spin(int turns)
{
	for (int i = 0; i < turns; i++)
		sink += (uint64_t)i;
}

static void on_signal(int number)
{
	(void)number;
}

/* How many have an action of their own; all have none behind it. */
static int reset(void)
{
	struct kernel_action action, none = {0, 0, 0, 0};
	int count = 0;

	for (int number = 1; number <= SIGNALS; number++) {
		if (syscall(SYS_rt_sigaction, number, NULL, &action, MASK_BYTES) != 0)
			return -1;
		count += action.handler != (uintptr_t)SIG_DFL;
		if (number != SIGKILL && number != SIGSTOP &&
		    syscall(SYS_rt_sigaction, number, &none, NULL, MASK_BYTES) != 0)
			return -1;
	}
	return count;
}

static void go_on(void)
{
	if (reset() != 1)
		_exit(1);
	spin(2000000);
	_exit(reset() == 0 ? 7 : 2);
}

static void become(void)
{
	static char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)"exit 7", NULL};

	if (reset() != 1)
		_exit(1);
	spin(100000);
	syscall(SYS_execve, argv[0], argv, environ);
	_exit(3);
}

static void become_at_once(void)
{
	static char *argv[] = {(char *)"/bin/sh", (char *)"-c", (char *)"exit 7", NULL};

	spin(100000);
	execve(argv[0], argv, environ);
	_exit(3);
}

static pid_t split(int turn)
{
	if (turn % 2 == 0)
		return fork();
	return (pid_t)syscall(SYS_clone, (long)SIGCHLD, 0L, 0L, 0L, 0L);
}

int main(int argc, char **argv)
{
	static void (*const lives[])(void) = {go_on, become, become_at_once};
	int count = argc > 1 ? atoi(argv[1]) : 30, wrong = 0;

	/* What whoever starts it ignores is left behind. */
	for (int number = 1; number <= SIGNALS; number++)
		signal(number, SIG_DFL);
	signal(SIGUSR1, on_signal);
	for (int turn = 0; turn < count; turn++) {
		int status = -1;
		pid_t child = split(turn);

		if (child == 0)
			lives[turn / 2 % 3]();
		while (waitpid(child, &status, 0) < 0 && errno == EINTR)
			continue;
		if (status != 7 << 8) {
			printf("life %d: %s %d\n", turn / 2 % 3,
			       WIFSIGNALED(status) ? "signal" : "status",
			       WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
			wrong++;
		}
	}
	printf("%d of %d are wrong\n", wrong, count);
	return 5;
}
