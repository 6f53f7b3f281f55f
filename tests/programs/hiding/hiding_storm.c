/* Stands in for sampling: preloaded, its timers interrupt every thread two thousand times a
 * second with the highest real-time signal, in the way that runtime/control/signalshare.h agrees
 * on, and records nothing.  STORM_KEEP: the signal is not given to a program that wants it. */
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

#include "runtime/control/signalshare.h"

#define PERIOD_NS 500000

static int used_signal;
static char cookie;
static __thread timer_t timer __attribute__((tls_model("initial-exec")));

/* Right behind a system call, or at one that the kernel begins again. */
static void look(ucontext_t *context, int *is_at, int *is_behind)
{
	const unsigned char *pc = (const unsigned char *)context->uc_mcontext.gregs[REG_RIP];

	*is_at = pc[0] == 0x0f && pc[1] == 0x05;
	*is_behind = pc[-2] == 0x0f && pc[-1] == 0x05;
}

static void handle(int signal, siginfo_t *info, void *place)
{
	ucontext_t *context = place;
	uint64_t *mask = (uint64_t *)(void *)&context->uc_sigmask;
	int is_at, is_behind, saved = errno;

	if (info->si_code != SI_TIMER || info->si_value.sival_ptr != &cookie) {
		kymo_signal_foreign(signal, info, context);
		errno = saved;
		return;
	}
	look(context, &is_at, &is_behind);
	kymo_wait_noticed((uintptr_t)context->uc_mcontext.gregs[REG_RSP], mask, is_behind);
	if (is_at && kymo_wait_is_over(*mask)) {
		context->uc_mcontext.gregs[REG_RIP] += 2;
		context->uc_mcontext.gregs[REG_RAX] = -EINTR;
	}
	errno = saved;
}

static void let_through(void)
{
	unsigned long bit = 1UL << (used_signal - 1);

	syscall(SYS_rt_sigprocmask, SIG_UNBLOCK, &bit, NULL, 8);
}

static void begin_thread(void)
{
	struct sigevent event;
	struct itimerspec often = {{0, PERIOD_NS}, {0, PERIOD_NS}};

	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_signo = used_signal;
	event.sigev_value.sival_ptr = &cookie;
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	let_through();
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &often, NULL);
}

static void use(int signal)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};

	action.sa_sigaction = handle;
	memset(&action.sa_mask, 0xff, sizeof(action.sa_mask));
	kymo_sample_signals_set(0); /* this one is not the program's */
	sigaction(signal, &action, NULL);
	used_signal = signal;
	kymo_sample_signals_set(1UL << (signal - 1));
}

/* Of the calling thread alone. */
static bool give(int signal)
{
	if (getenv("STORM_KEEP"))
		return false;
	timer_delete(timer);
	use(signal - 1);
	begin_thread();
	return true;
}

struct start {
	void *(*routine)(void *);
	void *argument;
};

static void *run(void *slot)
{
	struct start start = *(struct start *)slot;

	free(slot);
	begin_thread();
	return start.routine(start.argument);
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*routine)(void *),
		   void *argument)
{
	int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *) =
		(__typeof__(real))dlsym(RTLD_NEXT, "pthread_create");
	struct start *start = malloc(sizeof(*start));

	start->routine = routine;
	start->argument = argument;
	return real(thread, attributes, run, start);
}

__attribute__((constructor)) static void begin(void)
{
	use(SIGRTMAX);
	kymo_signal_yield_set(give);
	pthread_atfork(NULL, NULL, begin_thread);
	begin_thread();
}
