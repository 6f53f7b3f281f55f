/* Masks, waiting for signals, and actions, as a program sees them. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "hiding_sets.h"

extern char **environ;

static void *thread_mask(void *unused)
{
	say_mask("thread");
	return unused;
}

static ucontext_t first, second;

static void on_second(void)
{
	sigset_t none;

	say_mask("second context");
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
}

static void switch_contexts(void)
{
	static char stack[1 << 16];
	sigset_t none;

	getcontext(&second);
	second.uc_stack.ss_sp = stack;
	second.uc_stack.ss_size = sizeof(stack);
	second.uc_link = &first;
	makecontext(&second, on_second, 0);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	swapcontext(&first, &second);
	say_mask("first context");
}

static void run_masks(void)
{
	sigset_t all = full(), one = only(SIGUSR1), set, pending;
	sigjmp_buf place;
	pthread_t thread;

	say_mask("begin");
	sigprocmask(SIG_BLOCK, &all, &set);
	say_set("before", &set);
	say_mask("all");
	spin(20);
	raise(SIGUSR1);
	sigpending(&pending);
	say_set("pending", &pending);
	pthread_create(&thread, NULL, thread_mask, NULL);
	pthread_join(thread, NULL);
	if (fork() == 0) {
		say_mask("child");
		_exit(0);
	}
	wait(NULL);
	if (sigsetjmp(place, 1) == 0) {
		pthread_sigmask(SIG_UNBLOCK, &all, &set);
		/* The signal that was pending does nothing. */
		say_mask("none");
		siglongjmp(place, 1);
	}
	say_mask("jumped");
	switch_contexts();
	pthread_sigmask(SIG_SETMASK, &one, &set);
	say_mask("one");
	sigprocmask(SIG_SETMASK, &all, &set);
	say_set("was one", &set);
	sigdelset(&all, SIGTERM);
	sigprocmask(SIG_SETMASK, &all, NULL);
	say_mask("but one");
	sigprocmask(99, &all, NULL);
	printf("bad: %s\n", strerrorname_np(errno));
	printf("old: %x\n", (unsigned)sigblock(sigmask(SIGHUP)));
	printf("old: %x\n", (unsigned)sigsetmask(0));
	printf("old: %x\n", (unsigned)siggetmask());
	sighold(SIGINT);
	say_mask("held");
	sigrelse(SIGINT);
	say_mask("released");
}

static pid_t main_process;

static void *send_later(void *number)
{
	spin(30);
	kill(main_process, (int)(long)number);
	return NULL;
}

static void send_by_thread(pthread_t *thread, int number)
{
	pthread_create(thread, NULL, send_later, (void *)(long)number);
}

static void run_waits(void)
{
	sigset_t all = full(), usr1 = only(SIGUSR1);
	struct timespec soon = {0, 20000000};
	struct signalfd_siginfo read_info;
	pthread_t thread;
	siginfo_t info;
	int number = 0, fd;

	main_process = getpid();
	sigprocmask(SIG_BLOCK, &all, NULL);
	send_by_thread(&thread, SIGUSR1);
	printf("sigwait: %d", sigwait(&all, &number));
	printf(" %d\n", number);
	pthread_join(thread, NULL);
	send_by_thread(&thread, SIGHUP);
	printf("sigwaitinfo: %d\n", sigwaitinfo(&all, &info));
	printf("    from here: %d\n", info.si_pid == getpid());
	pthread_join(thread, NULL);
	number = sigtimedwait(&all, &info, &soon);
	printf("sigtimedwait: %d %s\n", number, strerrorname_np(errno));
	fd = signalfd(-1, &all, 0);
	send_by_thread(&thread, SIGUSR2);
	printf("signalfd: %zd", read(fd, &read_info, sizeof(read_info)));
	printf(" %u\n", read_info.ssi_signo);
	pthread_join(thread, NULL);
	send_by_thread(&thread, SIGRTMIN + 3);
	printf("poll: %d\n", poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, -1));
	pthread_join(thread, NULL);
	printf("sigwait: %d", sigwait(&all, &number));
	printf(" %d\n", number);
	printf("poll: %d\n", poll(&(struct pollfd){.fd = fd, .events = POLLIN}, 1, 20));
	send_by_thread(&thread, SIGUSR1);
	printf("one of one: %d\n", sigwaitinfo(&usr1, NULL));
	pthread_join(thread, NULL);
}

static volatile sig_atomic_t handled, code;
static sigset_t in_handler;

static void handle(int number)
{
	(void)number;
	handled++;
	sigprocmask(SIG_BLOCK, NULL, &in_handler);
}

static void handle_more(int number, siginfo_t *info, void *context)
{
	code = info->si_code;
	if (((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP])
		handle(number);
}

static void say_action(const char *name, int number)
{
	struct sigaction action;
	char text[32] = "?";

	memset(&action, 0, sizeof(action));
	if (sigaction(number, NULL, &action) != 0)
		printf("%s: %s\n", name, strerrorname_np(errno));
	if (action.sa_handler == SIG_DFL)
		strcpy(text, "default");
	else if (action.sa_handler == SIG_IGN)
		strcpy(text, "ignored");
	else if (action.sa_handler == handle || action.sa_sigaction == handle_more)
		strcpy(text, "own");
	printf("%s: %s %x\n", name, text, (unsigned)action.sa_flags & ~0x04000000u);
	say_set("    mask", &action.sa_mask);
}

static void run_actions(void)
{
	struct sigaction action = {.sa_handler = handle, .sa_mask = full()}, before;

	say_action("begin", SIGUSR1);
	sigaction(SIGUSR1, &action, &before);
	say_action("set", SIGUSR1);
	raise(SIGUSR1);
	say_set("in the handler", &in_handler);
	action.sa_sigaction = handle_more;
	action.sa_flags = SA_SIGINFO | SA_RESETHAND;
	sigaction(SIGUSR1, &action, &before);
	printf("was: %d\n", before.sa_handler == handle);
	raise(SIGUSR1);
	printf("code: %d\n", code == SI_TKILL);
	say_action("reset", SIGUSR1);
	printf("signal: %d\n", signal(SIGUSR1, handle) == SIG_DFL);
	printf("signal: %d\n", signal(SIGUSR1, SIG_IGN) == handle);
	printf("signal: %d\n", signal(SIGUSR1, handle) == SIG_IGN);
	say_action("signal", SIGUSR1);
	siginterrupt(SIGUSR1, 1);
	say_action("siginterrupt", SIGUSR1);
	printf("sysv: %d\n", sysv_signal(SIGUSR1, handle) == handle);
	say_action("sysv", SIGUSR1);
	raise(SIGUSR1);
	say_action("sysv", SIGUSR1);
	printf("sigset: %d\n", sigset(SIGUSR1, handle) == SIG_DFL);
	printf("sigset: %d\n", sigset(SIGUSR1, SIG_HOLD) == handle);
	printf("sigset: %d\n", sigset(SIGUSR1, SIG_DFL) == SIG_HOLD);
	sigignore(SIGUSR1);
	say_action("ignored", SIGUSR1);
	printf("bad: %d %s\n", sigaction(SIGKILL, &action, NULL), strerrorname_np(errno));
	printf("bad: %d %s\n", sigaction(999, &action, NULL), strerrorname_np(errno));
	printf("bad: %d\n", signal(SIGSTOP, handle) == SIG_ERR);
	for (int i = SIGRTMIN; i <= SIGRTMAX; i += 10)
		say_action("real-time", i);
	say_action("last", SIGRTMAX);
	printf("handled: %d\n", handled);
}

/* The signal that sampling has as well. */
static void run_wanted(void)
{
	struct sigaction action = {.sa_sigaction = handle_more, .sa_flags = SA_SIGINFO};
	struct sigaction before;

	sigemptyset(&action.sa_mask);
	printf("%d\n", sigaction(SIGRTMAX, &action, &before));
	printf("was default: %d\n", before.sa_handler == SIG_DFL);
	for (int i = 0; i < 10; i++) {
		spin(5);
		kill(getpid(), SIGRTMAX);
	}
	printf("handled %d, by kill %d\n", handled, code == SI_USER);
	action.sa_handler = SIG_IGN;
	action.sa_flags = 0;
	sigaction(SIGRTMAX, &action, &before);
	printf("was own: %d\n", before.sa_sigaction == handle_more);
	kill(getpid(), SIGRTMAX);
	spin(20);
	signal(SIGRTMAX, SIG_DFL);
	say_action("last", SIGRTMAX);
	kill(getpid(), SIGRTMAX);
	printf("not reached\n");
}

static void run_awaited(void)
{
	sigset_t last = only(SIGRTMAX), set;
	siginfo_t info;

	main_process = getpid();
	sigprocmask(SIG_BLOCK, &last, NULL);
	say_mask("one");
	spin(20);
	sigpending(&set);
	say_set("pending", &set);
	kill(getpid(), SIGRTMAX);
	sigpending(&set);
	say_set("pending", &set);
	printf("%d\n", sigwaitinfo(&last, &info) == SIGRTMAX && info.si_code == SI_USER);
	spin(20);
	sigpending(&set);
	say_set("pending", &set);
}

static void count_timer(int number)
{
	(void)number;
	handled++;
}

static void run_timers(void)
{
	static const int kinds[] = {ITIMER_REAL, ITIMER_VIRTUAL, ITIMER_PROF};
	static const int numbers[] = {SIGALRM, SIGVTALRM, SIGPROF};
	struct itimerval often = {{0, 10000}, {0, 10000}}, never = {{0, 0}, {0, 0}};
	struct itimerspec each = {{0, 10000000}, {0, 10000000}};
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGRTMIN + 1};
	timer_t timer;

	for (int i = 0; i < 3; i++) {
		handled = 0;
		signal(numbers[i], count_timer);
		setitimer(kinds[i], &often, NULL);
		while (handled < 5)
			;
		setitimer(kinds[i], &never, NULL);
		printf("%d: came\n", numbers[i]);
	}
	handled = 0;
	signal(SIGRTMIN + 1, count_timer);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &each, NULL);
	while (handled < 5)
		;
	timer_delete(timer);
	printf("timer: came\n");
}

/* As many as there may be, in the order in which they were sent. */
static void run_queue(void)
{
	sigset_t all = full();
	struct rlimit limit = {64, 64};
	union sigval value;
	siginfo_t info;
	int sent = 0;

	sigprocmask(SIG_BLOCK, &all, NULL);
	for (value.sival_int = 0; value.sival_int < 20; value.sival_int++)
		for (int n = 0; n < 2; n++)
			sent += sigqueue(getpid(), SIGRTMIN + 2 - n, value) == 0;
	printf("sent %d\n", sent);
	spin(20);
	while (sent--) {
		sigwaitinfo(&all, &info);
		printf(" %d:%d", info.si_signo - SIGRTMIN, info.si_value.sival_int);
	}
	printf("\n");
	setrlimit(RLIMIT_SIGPENDING, &limit);
	spin(20);
	raise(SIGRTMIN);
	sigwaitinfo(&all, &info);
	printf("%d\n", info.si_signo == SIGRTMIN);
}

static void run_children(const char *self)
{
	char *argv[] = {(char *)self, "show", NULL};
	sigset_t all = full(), none;
	posix_spawnattr_t attributes;
	pid_t child;

	sigemptyset(&none);
	fflush(stdout);
	for (int blocked = 0; blocked < 2; blocked++) {
		posix_spawnattr_init(&attributes);
		posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
		posix_spawnattr_setsigmask(&attributes, blocked ? &all : &none);
		posix_spawn(&child, self, NULL, &attributes, argv, environ);
		waitpid(child, NULL, 0);
		child = vfork();
		if (child == 0) {
			execv(self, argv);
			_exit(1);
		}
		waitpid(child, NULL, 0);
		for (int n = 0; n < 20; n++)
			if (system("exit 3") != 3 << 8)
				printf("bad\n");
	}
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(what, "masks")) {
		signal(SIGUSR1, SIG_IGN);
		run_masks();
	} else if (!strcmp(what, "waits")) {
		run_waits();
	} else if (!strcmp(what, "actions")) {
		run_actions();
	} else if (!strcmp(what, "wanted")) {
		run_wanted();
	} else if (!strcmp(what, "awaited")) {
		run_awaited();
	} else if (!strcmp(what, "timers")) {
		run_timers();
	} else if (!strcmp(what, "queue")) {
		run_queue();
	} else if (!strcmp(what, "children")) {
		run_children(argv[0]);
	} else if (!strcmp(what, "show")) {
		say_mask("mask");
		say_action("last", SIGRTMAX);
		spin(20);
	}
	return 5;
}
