/* Functions whose loops are known: how often each is entered is counted by the program itself.
 *
 * functions_loops            prints the counts, "NAME LOOP COUNT" a line
 * functions_loops step       runs them one instruction at a time, and asks backtrace() at each
 *                            whether it still leads back here; prints steps and failures */
#define _GNU_SOURCE
#include <execinfo.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

#define APART	    __attribute__((noinline))
#define KEEP(value) __asm__ volatile("" : "+r"(value))

static long entered_plain, entered_broken, entered_outer, entered_second, entered_returns,
	entered_calls, entered_deep;
static int table[64];

APART static int helper(int n)
{
	KEEP(n);
	return n * 3 + 1;
}

APART static int plain(int n)
{
	int sum = 0;

	entered_plain++;
	for (int i = 0; i < n; i++) {
		sum += i;
		KEEP(sum);
	}
	return sum;
}

APART static int broken(int n)
{
	int sum = 0;

	entered_broken++;
	while (1) {
		sum += n;
		KEEP(sum);
		if (sum > 40)
			break;
		if (sum % 7 == 3)
			continue;
		if (++n > 9)
			goto out;
	}
	sum *= 2;
out:
	KEEP(sum);
	return sum;
}

APART static int nested(int n)
{
	int sum = 0;

	entered_outer++;
	for (int i = 0; i < n; i++)
		for (int j = i; j < n; j++) {
			if (j == 5)
				continue;
			sum += i * j;
			KEEP(sum);
		}
	KEEP(sum);
	entered_second++;
	for (int i = n; i > 0; i -= 2) {
		sum ^= i;
		KEEP(sum);
	}
	return sum;
}

APART static int returns(int key)
{
	entered_returns++;
	for (int i = 0; i < 64; i++) {
		KEEP(i);
		if (table[i] == key)
			return i;
	}
	return -1;
}

APART static int calls(int n)
{
	int sum = 0;

	entered_calls++;
	do {
		sum += helper(sum & 15);
		KEEP(sum);
	} while (--n > 0);
	return sum + helper(1);
}

APART static int deep(int n)
{
	int sum = n;

	entered_deep++;
	for (int i = 0; i < 2 && n > 0; i++)
		sum += deep(n - 1);
	KEEP(sum);
	return sum;
}

APART static long all(int rounds)
{
	long sum = 0;

	for (int i = 0; i < rounds; i++)
		sum += plain(i % 5) + broken(i % 11) + nested(i % 8) + returns(i * 2 % 150) +
		       calls(i % 3) + deep(i % 4);
	return sum;
}

#define TRAP_FLAG 0x100

static volatile long steps, lost;
static volatile int is_over;
static char *home_start, *home_end; /* the function that all frames are below of */

static void begin(int signal, siginfo_t *info, void *context)
{
	(void)signal;
	(void)info;
	((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] |= TRAP_FLAG;
}

static void look(int signal, siginfo_t *info, void *context)
{
	void *frames[64];
	int count = backtrace(frames, 64);

	(void)signal;
	(void)info;
	if (is_over)
		((ucontext_t *)context)->uc_mcontext.gregs[REG_EFL] &= ~TRAP_FLAG;
	steps++;
	for (int i = 0; i < count; i++)
		if ((char *)frames[i] >= home_start && (char *)frames[i] < home_end)
			return;
	lost++;
}

static void answer(int signal, void (*handler)(int, siginfo_t *, void *))
{
	struct sigaction action = {.sa_sigaction = handler, .sa_flags = SA_SIGINFO};

	sigaction(signal, &action, NULL);
}

APART static long walk(void)
{
	void *frames[4];
	long sum;

	backtrace(frames, 4); /* it loads a library */
	answer(SIGTRAP, look);
	answer(SIGUSR1, begin);
	raise(SIGUSR1);
	sum = all(3);
	is_over = 1;
	return sum;
}
APART static void behind_walk(void)
{
	__asm__ volatile("");
}

int main(int count, char **arguments)
{
	for (int i = 0; i < 64; i++)
		table[i] = i * 3;
	if (count > 1 && strcmp(arguments[1], "step") == 0) {
		home_start = (char *)walk;
		home_end = (char *)behind_walk;
		printf("%ld\n", walk());
		behind_walk();
		fprintf(stderr, "steps %ld lost %ld\n", steps, lost);
		return 0;
	}
	printf("sum %ld\n", all(500));
	printf("plain 0 %ld\nbroken 0 %ld\nnested 0 %ld\nnested 1 %ld\n", entered_plain,
	       entered_broken, entered_outer, entered_second);
	printf("returns 0 %ld\ncalls 0 %ld\ndeep 0 %ld\n", entered_returns, entered_calls,
	       entered_deep);
	return 0;
}
