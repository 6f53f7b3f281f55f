/* Leaving functions by other ways than a return: longjmp, signal handlers, other stacks. */
#define _GNU_SOURCE
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <time.h>
#include <ucontext.h>

#include "functions_scene.h"

#define NOINLINE __attribute__((noinline))

static jmp_buf back;
static sigjmp_buf back_from_signal;

static NOINLINE uint64_t throw_from(int depth)
{
	if (depth == 0)
		longjmp(back, 7);
	return throw_from(depth - 1) + 1;
}

static NOINLINE uint64_t catch_it(int depth)
{
	volatile uint64_t seen = (uint64_t)depth;
	int result = setjmp(back);

	if (result == 0)
		return throw_from(depth);
	return seen * 10 + (uint64_t)result;
}

static NOINLINE uint64_t catch_many(void)
{
	volatile int rounds = 0;
	jmp_buf kept;

	if (_setjmp(kept) < 20) {
		rounds++;
		memcpy(&back, &kept, sizeof(kept));
		if (rounds < 20)
			throw_from(rounds);
	}
	return (uint64_t)rounds;
}

static void play_longjmp(void)
{
	for (int i = 0; i < 300; i++)
		mix(catch_it(i % 60));
	mix(catch_many());
}

/* Signals that faults send, and jumps out of their handlers. */

static char other_stack[65536];

static NOINLINE uint64_t work_in_handler(int depth)
{
	return depth == 0 ? 1 : work_in_handler(depth - 1) * 3 + 1;
}

static void on_fault(int signal)
{
	mix(work_in_handler(20));
	siglongjmp(back_from_signal, signal);
}

static NOINLINE uint64_t touch(volatile int *place, int depth)
{
	return depth == 0 ? (uint64_t)*place : touch(place, depth - 1) + 1;
}

static NOINLINE uint64_t touch_nothing(volatile int *place, int depth)
{
	int result = sigsetjmp(back_from_signal, 1);

	return result == 0 ? touch(place, depth) : 1000 + (uint64_t)result;
}

static NOINLINE uint64_t endless(volatile char *before)
{
	volatile char here[4096];

	here[0] = *before;
	return endless(here) + (uint64_t)here[0] + 1;
}

static NOINLINE uint64_t overflow(void)
{
	volatile char first = 1;

	return sigsetjmp(back_from_signal, 1) == 0 ? endless(&first) : 3;
}

static void play_faults(void)
{
	stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof(other_stack)}, none = {0};
	struct sigaction action = {.sa_handler = on_fault, .sa_flags = SA_ONSTACK};
	int *place = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	sigaltstack(&stack, NULL);
	sigaction(SIGSEGV, &action, NULL);
	sigaction(SIGBUS, &action, NULL);
	for (int i = 0; i < 200; i++)
		mix(touch_nothing(place, i % 30));
	mix(overflow());
	mix(overflow());
	none.ss_flags = SS_DISABLE;
	sigaltstack(&none, NULL);
	signal(SIGSEGV, SIG_DFL);
	signal(SIGBUS, SIG_DFL);
	munmap(place, 4096);
}

static volatile sig_atomic_t ticks, ticks_seen;
static volatile uint64_t wrong;

static NOINLINE uint64_t mix_down(int depth, uint64_t value)
{
	return depth == 0 ? value : mix_down(depth - 1, value * 6364136223846793005u + 1) ^ value;
}

static void on_tick(int signal)
{
	int saved = errno;

	(void)signal;
	ticks = ticks + 1;
	if (mix_down(12, 99) != mix_down(12, 99))
		wrong++;
	errno = saved;
}

static NOINLINE double mix_doubles(int depth, double a, long double b)
{
	return depth == 0 ? a + (double)b : mix_doubles(depth - 1, a * 1.25, b / 3) + a;
}

static void start_ticks(void (*handler)(int), int microseconds)
{
	stack_t stack = {.ss_sp = other_stack, .ss_size = sizeof(other_stack)};
	struct sigaction action = {.sa_handler = handler, .sa_flags = SA_ONSTACK | SA_RESTART};
	struct itimerval every = {{0, microseconds}, {0, microseconds}};

	sigaltstack(&stack, NULL);
	sigaction(SIGALRM, &action, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
}

static void stop_ticks(void)
{
	struct itimerval none = {0};
	stack_t stack = {.ss_flags = SS_DISABLE};

	setitimer(ITIMER_REAL, &none, NULL);
	signal(SIGALRM, SIG_IGN);
	sigaltstack(&stack, NULL);
}

/* The work is always the same; more of it, unmixed, until enough ticks have come. */
static void play_ticks(void)
{
	uint64_t first;
	double real = mix_doubles(20, 1, 2);

	ticks = 0;
	start_ticks(on_tick, 100);
	for (int i = 0; i < 20000; i++)
		mix(mix_down(i % 25, (uint64_t)i));
	first = mix_down(24, 1);
	while (ticks < 500)
		if (mix_down(24, 1) != first || mix_doubles(20, 1, 2) != real)
			wrong++;
	stop_ticks();
	mix(wrong);
}

/* Jumps out of the handler, wherever it came. */
static volatile sig_atomic_t may_jump;

static void on_tick_jump(int signal)
{
	(void)signal;
	if (may_jump && mix_down(5, 1)) {
		may_jump = 0;
		ticks_seen = ticks_seen + 1;
		siglongjmp(back_from_signal, 1);
	}
}

static NOINLINE void until_interrupted(void)
{
	uint64_t first = mix_down(30, 1);

	sigsetjmp(back_from_signal, 1);
	while (ticks_seen < 300) {
		may_jump = 1;
		for (int i = 0; i < 1000; i++)
			if (mix_down(30, 1) != first)
				wrong++;
		may_jump = 0;
	}
}

static void play_jumps_out(void)
{
	start_ticks(on_tick_jump, 200);
	until_interrupted();
	stop_ticks();
	mix(wrong);
	for (int i = 0; i < 100; i++)
		mix(mix_down(i, 5));
}

/* A signal raised from inside a handler, and handlers inside handlers. */
static volatile sig_atomic_t nested;

static void on_nested(int signal)
{
	mix((uint64_t)signal + (uint64_t)nested);
	mix(mix_down(10, (uint64_t)nested));
	if (++nested % 20)
		raise(nested % 2 ? SIGUSR1 : SIGUSR2);
}

static void play_nested(void)
{
	struct sigaction action = {.sa_handler = on_nested, .sa_flags = SA_NODEFER};

	sigaction(SIGUSR1, &action, NULL);
	sigaction(SIGUSR2, &action, NULL);
	for (int i = 0; i < 30; i++) {
		raise(SIGUSR1);
		mix(mix_down(10, 1));
	}
}

#define COROUTINES 40

static ucontext_t scheduler, contexts[COROUTINES];
static uint64_t values[COROUTINES];
static int current;

static NOINLINE void yield_from(int depth)
{
	if (depth > 0)
		yield_from(depth - 1);
	else
		swapcontext(&contexts[current], &scheduler);
	mix((uint64_t)depth);
}

static NOINLINE void coroutine(int number)
{
	for (int i = 0; i < 10; i++) {
		values[number] = values[number] * 3 + (uint64_t)i;
		yield_from((number + i) % 7);
	}
}

static void play_coroutines(void)
{
	char *stacks[COROUTINES];

	for (int i = 0; i < COROUTINES; i++) {
		stacks[i] = i % 2 ? malloc(65536)
				  : mmap(NULL, 65536, PROT_READ | PROT_WRITE,
					 MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		getcontext(&contexts[i]);
		contexts[i].uc_stack.ss_sp = stacks[i];
		contexts[i].uc_stack.ss_size = 65536;
		contexts[i].uc_link = &scheduler;
		makecontext(&contexts[i], (void (*)(void))(uintptr_t)coroutine, 1, i);
	}
	for (int round = 0; round < 11; round++)
		for (current = 0; current < COROUTINES; current++)
			swapcontext(&scheduler, &contexts[current]);
	for (int i = 0; i < COROUTINES; i++) {
		mix(values[i]);
		if (i % 2)
			free(stacks[i]);
		else
			munmap(stacks[i], 65536);
	}
}

/* A stack that is thrown away with calls still open on it, many times at one address. */
static NOINLINE void leave_by_context(int depth)
{
	if (depth == 0)
		setcontext(&scheduler);
	leave_by_context(depth - 1);
	mix(1);
}

static void play_left_stacks(void)
{
	static char stack[65536];
	volatile int round = 0;

	getcontext(&scheduler);
	if (round++ < 300) {
		getcontext(&contexts[0]);
		contexts[0].uc_stack.ss_sp = stack;
		contexts[0].uc_stack.ss_size = sizeof(stack);
		makecontext(&contexts[0], (void (*)(void))(uintptr_t)leave_by_context, 1,
			    (int)round % 50);
		setcontext(&contexts[0]);
	}
	mix((uint64_t)round);
}

static const struct scene scenes[] = {
	{"longjmp", play_longjmp},	   {"faults", play_faults}, {"ticks", play_ticks},
	{"jumps_out", play_jumps_out},	   {"nested", play_nested}, {"coroutines", play_coroutines},
	{"left_stacks", play_left_stacks},
};

int main(int argc, char **argv)
{
	return SCENES(scenes, argc, argv);
}
