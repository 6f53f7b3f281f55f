/* Nanoseconds of one stack: `unwind` prints "FRAMES direct empty handled backtrace" for two
 * depths.  direct = a walk along a warm stack, handled and empty = a signal whose handler
 * walks and one whose handler does nothing, turn by turn, backtrace = glibc's. */
#define _GNU_SOURCE
#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "object/unwind/unwind.h"

#define ROUNDS	21
#define WALKS	2000
#define SIGNALS 500
#define DEPTH	256

static struct unwind_stack own;
static struct unwind_frame frames[DEPTH];
static void *addresses[DEPTH];
static enum unwind_end end;
static size_t found;

static double now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

static void on_walk(int signal, siginfo_t *info, void *context)
{
	struct unwind_registers from;

	(void)signal, (void)info;
	unwind_from_context(context, &from);
	unwind_self(&from, &own, frames, DEPTH, &end);
}

static void on_nothing(int signal, siginfo_t *info, void *context)
{
	(void)signal, (void)info, (void)context;
}

static double walks(void)
{
	struct unwind_registers from;
	double before = now_ns();

	for (int i = 0; i < WALKS; i++) {
		unwind_from_here(&from);
		found = unwind_self(&from, &own, frames, DEPTH, &end);
	}
	return (now_ns() - before) / WALKS;
}

static double signals(int number)
{
	const pid_t process = getpid(), thread = (pid_t)syscall(SYS_gettid);
	double before = now_ns();

	for (int i = 0; i < SIGNALS; i++)
		syscall(SYS_tgkill, process, thread, number);
	return (now_ns() - before) / SIGNALS;
}

static double backtraces(void)
{
	double before = now_ns();

	for (int i = 0; i < SIGNALS; i++)
		backtrace(addresses, DEPTH);
	return (now_ns() - before) / SIGNALS;
}

static int compare(const void *a, const void *b)
{
	return *(const double *)a < *(const double *)b ? -1
						       : *(const double *)a > *(const double *)b;
}

static double median(double *values)
{
	qsort(values, ROUNDS, sizeof(values[0]), compare);
	return values[ROUNDS / 2];
}

static __attribute__((noinline)) void measure(void)
{
	double direct[ROUNDS], empty[ROUNDS], handled[ROUNDS], theirs[ROUNDS];

	walks(), signals(SIGUSR1), signals(SIGUSR2), backtraces();
	for (int i = 0; i < ROUNDS; i++) {
		direct[i] = walks();
		empty[i] = signals(SIGUSR2);
		handled[i] = signals(SIGUSR1);
		theirs[i] = backtraces();
	}
	if (end != UNWIND_COMPLETE)
		exit(3);
	printf("%zu %.1f %.1f %.1f %.1f\n", found, median(direct), median(empty), median(handled),
	       median(theirs));
}

/* A function a level, and none as large as the next: their addresses are as a program's. */
typedef int (*level_fn)(unsigned depth);
static const level_fn levels[];

#define LEVEL(n)                                                                                   \
	static __attribute__((noinline)) int level_##n(unsigned depth)                             \
	{                                                                                          \
		volatile char room[16 + 8 * (n % 7)];                                              \
                                                                                                   \
		room[0] = n;                                                                       \
		__asm__ volatile(".skip %c0, 0x90" ::"i"(n * 13 % 101));                           \
		if (depth == 0)                                                                    \
			measure();                                                                 \
		else                                                                               \
			room[0] += levels[depth - 1](depth - 1);                                   \
		return room[0];                                                                    \
	}
#define EIGHT(X, n) X(n##0) X(n##1) X(n##2) X(n##3) X(n##4) X(n##5) X(n##6) X(n##7)
#define ALL(X)	    EIGHT(X, 1) EIGHT(X, 2) EIGHT(X, 3) EIGHT(X, 4) EIGHT(X, 5) EIGHT(X, 6)

ALL(LEVEL)

#define NAME(n) level_##n,
static const level_fn levels[] = {ALL(NAME)};

#define AROUND 6u /* frames besides those of the levels: walks() … _start() */

int main(void)
{
	struct sigaction action = {.sa_sigaction = on_walk, .sa_flags = SA_SIGINFO};
	static const unsigned depths[] = {20, 50};
	pthread_attr_t attributes;
	size_t size;
	void *low;

	unwind_learn();
	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &low, &size);
	own = (struct unwind_stack){(uintptr_t)low, (uintptr_t)low + size};
	sigaction(SIGUSR1, &action, NULL);
	action.sa_sigaction = on_nothing;
	sigaction(SIGUSR2, &action, NULL);
	for (int i = 0; i < 2; i++)
		levels[depths[i] - AROUND - 1](depths[i] - AROUND - 1);
	return 0;
}
