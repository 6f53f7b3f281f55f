/* Calls whose numbers are known: recursion, tail calls, jump tables, loops back to a
 * function's first instruction, long jumps, handlers of signals, threads. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>

#define CALLED __attribute__((noinline, noclone))

typedef uint64_t (*number_fn)(uint64_t);

static jmp_buf out;
static volatile uint64_t handled;

CALLED static uint64_t leaf(uint64_t number)
{
	return number * 3 + 1;
}

CALLED static uint64_t ends_by_jump(uint64_t number)
{
	return leaf(number + 2);
}

CALLED static uint64_t ends_by_pointer(number_fn function, uint64_t number)
{
	return function(number);
}

CALLED static uint64_t fibonacci(uint64_t number)
{
	uint64_t sum = number;

	if (number >= 2) {
		sum = fibonacci(number - 1) + fibonacci(number - 2);
		__asm__ volatile("" : "+r"(sum)); /* or the second one becomes a loop */
	}
	return sum;
}

CALLED static uint64_t table(uint64_t number)
{
	switch (number % 8) {
	case 0:
		return leaf(number);
	case 1:
		return 5;
	case 2:
		return ends_by_jump(number);
	case 3:
		return number * number;
	case 4:
		return 77;
	case 5:
		return number ^ 12;
	case 6:
		return leaf(number + 9);
	default:
		return 0;
	}
}

CALLED static uint64_t length(const char *text)
{
	const char *at = text;

	while (*at)
		at++;
	return (uint64_t)(at - text);
}

CALLED static void jump_out(int depth)
{
	if (depth == 0)
		longjmp(out, 1);
	jump_out(depth - 1);
	__asm__ volatile("" ::: "memory");
}

CALLED static double half(double number)
{
	return number * 0.5 + 0.25;
}

static void handle(int number)
{
	(void)number;
	handled += leaf(handled);
}

CALLED static uint64_t work(uint64_t rounds)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < rounds; i++) {
		sum += leaf(i) + ends_by_jump(i) + ends_by_pointer(leaf, i) + table(i);
		sum += (uint64_t)half((double)i);
	}
	return sum;
}

static void *run(void *rounds)
{
	return (void *)(uintptr_t)work((uintptr_t)rounds);
}

int main(void)
{
	pthread_t threads[3];
	uint64_t sum = work(800) + fibonacci(15) + length("how long is this");

	for (int i = 0; i < 20; i++)
		if (setjmp(out) == 0)
			jump_out(4);
	signal(SIGUSR1, handle);
	for (int i = 0; i < 50; i++)
		raise(SIGUSR1);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)400);
	for (int i = 0; i < 3; i++) {
		void *result;

		pthread_join(threads[i], &result);
		sum += (uintptr_t)result;
	}
	printf("%llu %llu\n", (unsigned long long)sum, (unsigned long long)handled);
	return 5;
}
