/* Preloaded into programs: a timer's handler unwinds the main thread.  What came of it goes to
 * the file UNWIND_COUNTS at the end: "complete cut lost torn frames"; with UNWIND_STEPS, the
 * handler has every so many instructions of the program stepped through. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "object/unwind/unwind.h"
#include "unwind_steps.h"

#define PERIOD_NS 1000000
#define STEPS	  2000 /* at a time */
#define ROUNDS	  16
#define SPACE	  8 /* ticks between two */

static struct unwind_stack own;
static unsigned long ends[4], walked, rounds, space;
static timer_t timer;
static int counts = -1;
static int steps_in;

static void on_tick(int signal, siginfo_t *info, void *context)
{
	struct unwind_registers from;
	struct unwind_frame frames[512];
	enum unwind_end end;

	(void)signal, (void)info;
	unwind_from_context(context, &from);
	walked += unwind_self(&from, &own, frames, 512, &end);
	ends[end]++;
	if (!steps_in || rounds == ROUNDS)
		return;
	/* Ticks that come while instructions are stepped through are no rounds: how many there are
	 * depends on what a step costs the processor. */
	if (space > 0) {
		space--;
	} else if (steps_begin_in(context, STEPS)) {
		rounds++;
		space = SPACE;
	}
}

static __attribute__((constructor)) void start(void)
{
	const struct itimerspec period = {{0, PERIOD_NS}, {0, PERIOD_NS}};
	struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMAX};
	const char *file = getenv("UNWIND_COUNTS");
	pthread_attr_t attributes;
	size_t size;
	void *low;

	steps_in = getenv("UNWIND_STEPS") != NULL;
	if (!file)
		return;
	counts = fcntl(open(file, O_WRONLY | O_CREAT | O_TRUNC, 0600), F_DUPFD_CLOEXEC, 200);
	unsetenv("LD_PRELOAD");
	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &low, &size);
	pthread_attr_destroy(&attributes);
	own = (struct unwind_stack){(uintptr_t)low, (uintptr_t)low + size};
	if (steps_in)
		steps_prepare();
	else
		unwind_learn();
	sigaction(SIGRTMAX, &action, NULL);
	event._sigev_un._tid = (int)syscall(SYS_gettid);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &period, NULL);
}

static __attribute__((destructor)) void stop(void)
{
	if (counts < 0)
		return;
	timer_delete(timer);
	steps_end();
	dprintf(counts, "%lu %lu %lu %lu %lu\n", ends[UNWIND_COMPLETE], ends[UNWIND_CUT],
		ends[UNWIND_LOST], ends[UNWIND_TORN], walked);
	if (steps_in) {
		dup2(counts, STDERR_FILENO);
		steps_report("preloaded");
	}
}
