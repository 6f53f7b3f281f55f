/* Libraries are loaded and unloaded, one at the place of the other, while timers interrupt
 * threads that unwind: `unwind_plugins ONE.so OTHER.so ROUNDS`. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "object/unwind/unwind.h"

#define THREADS 3
#define DEPTH	100

typedef int (*work_fn)(int (*ready)(void));

static __thread struct unwind_stack own;
static unsigned long ticks, complete, same_place, seen, wrong;
static bool is_over;

static void count(unsigned long *which)
{
	__atomic_add_fetch(which, 1, __ATOMIC_RELAXED);
}

static void learn_stack(void)
{
	pthread_attr_t attributes;
	size_t size;
	void *low;

	pthread_getattr_np(pthread_self(), &attributes);
	pthread_attr_getstack(&attributes, &low, &size);
	pthread_attr_destroy(&attributes);
	own = (struct unwind_stack){(uintptr_t)low, (uintptr_t)low + size};
}

static void on_tick(int signal, siginfo_t *info, void *context)
{
	struct unwind_registers from;
	struct unwind_frame frames[DEPTH];
	enum unwind_end end;

	(void)signal, (void)info;
	unwind_from_context(context, &from);
	unwind_self(&from, &own, frames, DEPTH, &end);
	count(&ticks);
	if (end == UNWIND_COMPLETE)
		count(&complete);
}

static void start_timer(void)
{
	const struct itimerspec period = {{0, 300000}, {0, 300000}};
	struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMAX};
	timer_t timer;

	event._sigev_un._tid = (int)syscall(SYS_gettid);
	timer_create(CLOCK_MONOTONIC, &event, &timer);
	timer_settime(timer, 0, &period, NULL);
}

static void *spin(void *unused)
{
	char text[100];

	learn_stack();
	start_timer();
	while (!__atomic_load_n(&is_over, __ATOMIC_RELAXED))
		snprintf(text, sizeof(text), "%g %s", (double)ticks / 3, "text");
	return unused;
}

static uintptr_t expected; /* a return address in main() */

/* Called by the plugin: seven of its frames, then use(), then main(). */
static int ready(void)
{
	struct unwind_registers from;
	struct unwind_frame frames[DEPTH];
	enum unwind_end end;
	size_t found;

	unwind_from_here(&from);
	found = unwind_self(&from, &own, frames, DEPTH, &end);
	/* Right behind the loading the modules may not be read again yet: then the stack ends
	 * there, but shows nothing that is not so. */
	if (end == UNWIND_COMPLETE && (found < 10 || frames[9].address + 1 != expected))
		count(&wrong);
	return end == UNWIND_COMPLETE;
}

/* Until a whole stack is seen. */
static __attribute__((noinline)) void use(work_fn work)
{
	expected = (uintptr_t)__builtin_return_address(0);
	while (work(ready) == 0)
		;
	seen++;
}

int main(int number, char **names)
{
	struct sigaction action = {.sa_sigaction = on_tick, .sa_flags = SA_SIGINFO | SA_RESTART};
	int rounds = number > 3 ? atoi(names[3]) : 0;
	pthread_t threads[THREADS];
	work_fn before = NULL;

	learn_stack();
	unwind_learn();
	sigaction(SIGRTMAX, &action, NULL);
	start_timer();
	for (int i = 0; i < THREADS; i++)
		pthread_create(&threads[i], NULL, spin, NULL);
	for (int i = 0; i < rounds; i++) {
		void *library = dlopen(names[1 + i % 2], RTLD_NOW);
		work_fn work = library ? (work_fn)dlsym(library, "plugin_work") : NULL;

		if (!work)
			return 2;
		same_place += work == before;
		before = work;
		use(work);
		dlclose(library);
	}
	__atomic_store_n(&is_over, true, __ATOMIC_RELAXED);
	for (int i = 0; i < THREADS; i++)
		pthread_join(threads[i], NULL);
	printf("%lu %lu %lu %lu %lu\n", ticks, complete, same_place, seen, wrong);
	return 0;
}
