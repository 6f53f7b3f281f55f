/* What it costs to count a call of a throttled function, on x86-64.
 *
 * Whoever calls it is led by a jump to a copy that adds one to a word (patch/plan/plan.h); where
 * all calls are counted, two more jumps lead through what the entry displaced.  Much is done beside
 * the function's own work; how much is left of it is seen on a function that works for a nanosecond
 * or two, as those do that are called so often.  The word is reached as there, by the thread
 * pointer: processors are slower with that. */
#include "collectors/functions/funcpatch.h"

#include <stdlib.h>
#include <time.h>

#include "base/threadlocal.h"
#include "platform/usage.h"

#define ROUNDS 63
#define CALLS  4096

uint64_t funcpatch_plain_work(uint64_t value, int64_t counter)
	__attribute__((visibility("hidden")));
uint64_t funcpatch_counted_work(uint64_t value, int64_t counter)
	__attribute__((visibility("hidden")));

__asm__(".text\n"
	".p2align 5\n"
	".globl funcpatch_plain_work\n"
	".hidden funcpatch_plain_work\n"
	".type funcpatch_plain_work, @function\n"
	"funcpatch_plain_work:\n"
	"	.cfi_startproc\n"
	"	imul $1664525, %rdi, %rax\n"
	"	add $1013904223, %rax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size funcpatch_plain_work, .-funcpatch_plain_work\n"
	".p2align 5\n"
	".globl funcpatch_counted_work\n"
	".hidden funcpatch_counted_work\n"
	".type funcpatch_counted_work, @function\n"
	"funcpatch_counted_work:\n"
	"	.cfi_startproc\n"
	"	jmp 1f\n"
	"	.skip 4096\n"
	"1:	addq $1, %fs:(%rsi)\n"
	"	jmp 2f\n"
	"	.skip 8192\n"
	"2:	imul $1664525, %rdi, %rax\n"
	"	jmp 3f\n"
	"	.skip 4096\n"
	"3:	add $1013904223, %rax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size funcpatch_counted_work, .-funcpatch_counted_work\n");

static uint64_t time_round(bool is_counted, int64_t counter)
{
	uint64_t value = 1, start = usage_clock_ns(CLOCK_MONOTONIC);

	if (is_counted)
		for (int i = 0; i < CALLS; i++)
			value = funcpatch_counted_work(value, counter);
	else
		for (int i = 0; i < CALLS; i++)
			value = funcpatch_plain_work(value, counter);
	__asm__ volatile("" ::"r"(value));
	return usage_clock_ns(CLOCK_MONOTONIC) - start;
}

static int compare(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

/* In turns, and what is less than most: what else the processor does may treble it.  No
 * function is throttled yet, so that the first counter is free. */
uint64_t funcpatch_counted_ps(void)
{
	uint64_t *word = &funcpatch_throttle_counters[0], before = *word;
	int64_t counter = (int64_t)(threadlocal_address(word) - funcpatch_thread_pointer());
	int64_t more_ns[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		int64_t plain_ns = (int64_t)time_round(false, counter);

		more_ns[i] = (int64_t)time_round(true, counter) - plain_ns;
	}
	*word = before;
	qsort(more_ns, ROUNDS, sizeof(*more_ns), compare);
	return more_ns[ROUNDS / 4] > 0 ? (uint64_t)more_ns[ROUNDS / 4] * 1000 / CALLS : 0;
}
