/* Time spent in known shares: sampled_shares KIND SECONDS. */
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static volatile uint64_t sink;
static double seconds;

static double now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static void work(int units)
{
	for (int i = 0; i < units * 1000; i++)
		sink += (uint64_t)i;
}

__attribute__((noinline)) void one_unit(void)
{
	work(1);
	sink++;
}

__attribute__((noinline)) void two_units(void)
{
	work(2);
	sink++;
}

__attribute__((noinline)) void nine_units(void)
{
	work(9);
	sink++;
}

/* 2 : 1 and 90 : 10, each for half of the time. */
__attribute__((noinline)) void *shares(void *unused)
{
	double end = now() + seconds / 2;

	while (now() < end) {
		two_units();
		one_unit();
	}
	return unused;
}

__attribute__((noinline)) void *nine_to_one(void *unused)
{
	double end = now() + seconds / 2;

	while (now() < end) {
		nine_units();
		one_unit();
	}
	return unused;
}

__attribute__((noinline)) void *sleeping(void *unused)
{
	struct timespec time = {(time_t)seconds, (long)((seconds - (long)seconds) * 1e9)};

	while (nanosleep(&time, &time) != 0)
		;
	return unused;
}

/* One thread works while another sleeps. */
static void threads(void)
{
	pthread_t first, second;

	pthread_create(&first, NULL, nine_to_one, NULL);
	pthread_create(&second, NULL, sleeping, NULL);
	pthread_join(first, NULL);
	pthread_join(second, NULL);
}

/* In step with a timer of 100 Hz: a sampler that is, too, sees but one of the two. */
static void periodic(void)
{
	double end = now() + seconds;

	while (now() < end) {
		double phase = now() * 100;

		phase -= (double)(long)phase;
		if (phase < 0.5)
			one_unit();
		else
			two_units();
	}
}

/* Calls itself more often than stacks are kept. */
__attribute__((noinline)) void descend(int depth)
{
	if (depth > 0)
		descend(depth - 1);
	else
		shares(NULL);
	sink++;
}

__attribute__((noinline)) void *faults(void *unused)
{
	double end = now() + seconds;

	while (now() < end) {
		char *memory = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (int i = 0; i < 1 << 20; i += 4096)
			memory[i] = 1;
		munmap(memory, 1 << 20);
	}
	return unused;
}

/* All handlers on an alternate stack that is as small as can be. */
static void small_stack(void)
{
	static char room[8192];
	stack_t stack = {.ss_sp = room, .ss_size = sizeof(room)};

	sigaltstack(&stack, NULL);
	shares(NULL);
}

/* A program that asks what its signals do, and has a timer of its own. */
static volatile long alarms;

static void on_alarm(int signal)
{
	(void)signal;
	alarms++;
}

static void own_timer(void)
{
	timer_t timer;
	struct itimerspec when = {{0, 2000000}, {0, 2000000}};

	signal(SIGALRM, on_alarm);
	timer_create(CLOCK_MONOTONIC, NULL, &timer);
	timer_settime(timer, 0, &when, NULL);
	shares(NULL);
	printf("alarms: %s\n", alarms > (long)(seconds * 50) ? "many" : "few");
}

int main(int argc, char **argv)
{
	seconds = argc > 2 ? atof(argv[2]) : 0.2;
	if (!strcmp(argv[1], "shares")) {
		shares(NULL);
		nine_to_one(NULL);
	} else if (!strcmp(argv[1], "threads"))
		threads();
	else if (!strcmp(argv[1], "sleeping"))
		sleeping(NULL);
	else if (!strcmp(argv[1], "periodic"))
		periodic();
	else if (!strcmp(argv[1], "deep"))
		descend(3000);
	else if (!strcmp(argv[1], "faults"))
		faults(NULL);
	else if (!strcmp(argv[1], "small_stack"))
		small_stack();
	else if (!strcmp(argv[1], "own_timer"))
		own_timer();
	return 0;
}
