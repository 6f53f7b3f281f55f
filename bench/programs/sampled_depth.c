/* What interrupting a busy thread costs: work done at a depth of calls, alone, with an empty
 * handler of its own, or with whatever samples it from outside.
 *
 *	sampled_depth SECONDS [DEPTH [HERTZ]]
 *
 * HERTZ > 0: a timer of its own interrupts it.  Prints rounds of work a second of its CPU
 * time and of wall time, how often its own handler came, and its CPU time. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;
static volatile long interruptions;
static double seconds = 1;

static double read_clock(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static double now(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

static void on_signal(int number, siginfo_t *info, void *context)
{
	(void)number;
	(void)info;
	(void)context;
	interruptions++;
}

static void start_timer(long hertz)
{
	struct sigaction action = {.sa_flags = SA_SIGINFO | SA_RESTART};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMAX - 8};
	struct itimerspec when = {.it_interval.tv_nsec = 1000000000 / hertz,
				  .it_value.tv_nsec = 1000000000 / hertz};
	timer_t timer;

	action.sa_sigaction = on_signal;
	sigaction(SIGRTMAX - 8, &action, NULL);
	event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &when, NULL);
}

static uint64_t work(void)
{
	double end = now() + seconds;
	uint64_t rounds = 0;

	while (now() < end) {
		for (int i = 0; i < 20000; i++)
			sink += (uint64_t)i;
		rounds++;
	}
	return rounds;
}

__attribute__((noinline)) static uint64_t descend(int depth)
{
	uint64_t rounds = depth > 0 ? descend(depth - 1) : work();

	sink++; /* no tail call */
	return rounds;
}

int main(int argc, char **argv)
{
	int depth = argc > 2 ? atoi(argv[2]) : 20;
	long hertz = argc > 3 ? atol(argv[3]) : 0;
	uint64_t rounds;
	double wall, cpu;

	seconds = argc > 1 ? atof(argv[1]) : 1;
	if (hertz > 0)
		start_timer(hertz);
	wall = now();
	cpu = read_clock(CLOCK_THREAD_CPUTIME_ID);
	rounds = descend(depth);
	cpu = read_clock(CLOCK_THREAD_CPUTIME_ID) - cpu;
	wall = now() - wall;
	printf("%.6f %.6f %ld %.6f\n", (double)rounds / cpu, (double)rounds / wall, interruptions,
	       cpu);
	return 0;
}
