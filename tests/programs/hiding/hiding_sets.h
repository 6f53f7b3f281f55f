/* Sets of signals as the programs print and make them, and time for many interruptions. */
#ifndef KYMO_HIDING_SETS_H
#define KYMO_HIDING_SETS_H

#include <signal.h>
#include <stdio.h>
#include <time.h>

static void say_set(const char *name, const sigset_t *set)
{
	printf("%s:", name);
	for (int i = 1; i <= SIGRTMAX; i++)
		if (sigismember(set, i))
			printf(" %d", i);
	printf("\n");
	fflush(stdout);
}

static void say_mask(const char *name)
{
	sigset_t set;

	sigprocmask(SIG_BLOCK, NULL, &set);
	say_set(name, &set);
}

static sigset_t full(void)
{
	sigset_t set;

	sigfillset(&set);
	return set;
}

static sigset_t only(int number)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, number);
	return set;
}

/* Time for many interruptions. */
static void spin(int milliseconds)
{
	struct timespec begin, now;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	do
		clock_gettime(CLOCK_MONOTONIC, &now);
	while ((now.tv_sec - begin.tv_sec) * 1000 + (now.tv_nsec - begin.tv_nsec) / 1000000 <
	       milliseconds);
}

#endif
