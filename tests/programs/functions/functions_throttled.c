/* Small functions, called until their callers are led past what records them, and some more
 * after that: from threads, a signal handler, by pointers, from everywhere in a cache line, by
 * jumps, from themselves and in a forked child.  Prints how often each was called: lines of
 * "process function calls". */
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define KEEP   __attribute__((noinline, noclone))
#define ROUNDS 500
#define SIGNAL SIGUSR1

static _Atomic unsigned long calls_of_brief, calls_of_loops, calls_of_tail, calls_of_outer,
	calls_of_down, calls_of_everywhere;

/* Each call site is 6 bytes behind the one before. */
unsigned long everywhere(unsigned long value);
__asm__(".text\n.p2align 4\n.globl everywhere\n.type everywhere, @function\n"
	"everywhere: .cfi_startproc\n	sub $8, %rsp\n	.cfi_def_cfa_offset 16\n"
	"	.rept 64\n	call brief\n	nop\n	.endr\n"
	"	add $8, %rsp\n	.cfi_def_cfa_offset 8\n	ret\n	.cfi_endproc\n"
	".size everywhere, .-everywhere\n");

KEEP unsigned long brief(unsigned long value)
{
	__asm__ volatile("" : "+r"(value));
	return value * 6364136223846793005u + 1442695040888963407u;
}

/* Jumps inside of it. */
KEEP unsigned long loops(unsigned long value)
{
	for (unsigned long i = value & 3; i < 4; i++) {
		__asm__ volatile("" : "+r"(value));
		if (value & 64)
			value += i;
		else
			value ^= i << 7;
	}
	return value;
}

/* Ends in another function. */
KEEP unsigned long tail(unsigned long value)
{
	__asm__ volatile("" : "+r"(value));
	return value & 1 ? brief(value) : loops(value);
}

/* Calls another one. */
KEEP unsigned long outer(unsigned long value)
{
	unsigned long inner = brief(value);

	__asm__ volatile("" : "+r"(inner));
	return inner + value;
}

KEEP unsigned long down(unsigned long value)
{
	unsigned long below = value > 0 ? down(value - 1) : 0;

	__asm__ volatile("" : "+r"(below));
	return below + 1;
}

static unsigned long (*volatile pointer)(unsigned long) = brief;

static void on_signal(int number)
{
	(void)number;
	brief(1);
	calls_of_brief++;
}

static void one_round(unsigned long *value)
{
	unsigned long odd = 0;

	for (unsigned i = 0; i < ROUNDS; i++) {
		*value = brief(*value);
		*value += loops(i);
		odd += *value & 1;
		*value += tail(*value);
		*value += outer(i);
		*value += pointer(*value);
	}
	*value += down(9);
	*value = everywhere(*value);
	calls_of_tail += ROUNDS;
	calls_of_outer += ROUNDS;
	calls_of_down += 10;
	calls_of_brief += 3 * ROUNDS + odd + 64;
	calls_of_loops += 2 * ROUNDS - odd;
	calls_of_everywhere++;
	raise(SIGNAL);
}

static unsigned long code_of_brief(void)
{
	unsigned long code;

	memcpy(&code, (const void *)brief, sizeof(code));
	__asm__ volatile("" ::: "memory");
	return code;
}

static unsigned long code_before, rounds_most = 1000000;

/* Until it was led elsewhere, or for so many rounds; and a bit more. */
static void *work(void *unused)
{
	unsigned long value = 1;

	(void)unused;
	for (unsigned long i = 0; i < rounds_most && code_of_brief() == code_before; i++)
		one_round(&value);
	for (unsigned i = 0; i < 5; i++)
		one_round(&value);
	return NULL;
}

static void tell(const char *process)
{
	printf("%s brief %lu\n%s loops %lu\n%s tail %lu\n%s outer %lu\n%s down %lu\n"
	       "%s everywhere %lu\n",
	       process, calls_of_brief, process, calls_of_loops, process, calls_of_tail, process,
	       calls_of_outer, process, calls_of_down, process, calls_of_everywhere);
	fflush(stdout);
}

static void forget(void)
{
	calls_of_brief = calls_of_loops = calls_of_tail = 0;
	calls_of_outer = calls_of_down = calls_of_everywhere = 0;
}

int main(int argc, char **argv)
{
	int count = argc > 1 ? atoi(argv[1]) : 2;
	pthread_t threads[16];
	pid_t child;

	if (argc > 2)
		rounds_most = strtoul(argv[2], NULL, 10);
	signal(SIGNAL, on_signal);
	code_before = code_of_brief();
	for (int i = 0; i < count; i++)
		pthread_create(&threads[i], NULL, work, NULL);
	for (int i = 0; i < count; i++)
		pthread_join(threads[i], NULL);
	work(NULL);
	printf("led %d\n", code_of_brief() != code_before);
	tell("parent");
	child = fork();
	if (child == 0) {
		unsigned long value = 1;

		forget();
		one_round(&value);
		tell("child");
		return 0;
	}
	waitpid(child, NULL, 0);
	return 0;
}
