/* What -mfentry calls: all that it does is to count, for benchmarks that ask how many calls a
 * load makes.  The number is printed to standard error at the end. */
#include <stdio.h>

unsigned long calls_counted;

__asm__(".globl __fentry__\n"
	".type __fentry__, @function\n"
	"__fentry__:\n"
	"	incq calls_counted(%rip)\n"
	"	ret\n"
	".size __fentry__, .-__fentry__\n");

__attribute__((destructor, no_instrument_function)) static void print(void)
{
	fprintf(stderr, "calls %lu\n", calls_counted);
}
