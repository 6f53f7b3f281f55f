/* The cost of counting a call, on x86-64: by a trampoline, and of a throttled function by its copy.
 *
 * Much of it overlaps with the function's own work; the remainder is measured on a function that
 * works for a nanosecond, as functions do that are called so often.  It is not one number.  An
 * extra jump costs a cycle or none, depending on the code's alignment; and the word that is
 * counted in was written by the call before: processors predict its value, or wait for it, and
 * change between these every few milliseconds, depending on the instructions in between.
 * Programs run into all of these cases.  So each is provoked here: the result is the mean of
 * predicting and waiting. */
#include "collectors/functions/funcpatch_counted.h"

#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include "collectors/functions/funcpatch_call.h"
#include "platform/usage.h"

#define PASSES 5
#define ROUNDS 15
#define CALLS  512

struct words { /* in place of a thread's and a vector's */
	uint64_t is_off, thread_offset, first_id_left;
	struct words *left;
	_Alignas(64) uint64_t count; /* never reaches 0 */
};
_Static_assert(offsetof(struct words, thread_offset) == 8 &&
		       offsetof(struct words, first_id_left) == 16 &&
		       offsetof(struct words, left) == 24 && offsetof(struct words, count) == 64,
	       "as the code below has it");

/* So many calls, each of which waits for the result of the previous one.  offset: of words from
 * the thread pointer, because processors are slower with that. */
typedef uint64_t (*loop_fn)(uint64_t value, struct words *words, uint64_t offset, uint64_t calls);

/* rdi, rsi, rdx, rcx; a called function changes rax and rcx.  place: its offset in a cache line. */
#define FIRST "	.p2align 6\n"
#define LATER "	.p2align 6\n	.skip 32\n"
#define LOOP(name, place, function)                                                                \
	place "	.globl " name "\n"                                                                 \
	      "	.hidden " name "\n"                                                                \
	      "	.type " name ", @function\n"                                                       \
	      "6:\n"                                                                               \
	      "	.cfi_startproc\n" function "	.p2align 4\n" name ":\n"                           \
	      "	endbr64\n"                                                                         \
	      "	mov %rcx, %r9\n"                                                                   \
	      "7:	call 6b\n"                                                                       \
	      "	mov %rax, %rdi\n"                                                                  \
	      "	sub $1, %r9\n"                                                                     \
	      "	jnz 7b\n"                                                                          \
	      "	ret\n"                                                                             \
	      "	.cfi_endproc\n"                                                                    \
	      ".size " name ", .-" name "\n"

#define BEGIN "	imul $1664525, %rdi, %rax\n"
#define END   "	add $1013904223, %rax\n	ret\n"

/* Jump elsewhere, and back. */
#define THERE "	jmp 3f\n"
#define BACK  "2:\n" END "	.skip 4096\n3:\n"

#define COPY	"	addq $1, %fs:64(%rdx)\n"
/* The way to a copy: redirected calls jump to a jump to it; others use the function's entry,
 * which jumps to that jump.  Each is in a page of its own. */
#define FAR	"	jmp 3f\n	.skip 4096\n	.p2align 6\n3:\n"
#define FARTHER "	jmp 5f\n	.skip 4096\n	.p2align 6\n5:\n" FAR
/* A part of what was stored: processors wait for it. */
#define WAITING                                                                                    \
	"	movzwl %fs:64(%rdx), %ecx\n"                                                             \
	"	add $1, %ecx\n"                                                                          \
	"	mov %rcx, %fs:64(%rdx)\n"

#define TRAMPOLINE(count)                                                                          \
	THERE BACK "	cmpb $0, (%rsi)\n"                                                            \
		   "	jne 2b\n"                                                                     \
		   "	mov %rax, -0x10(%rsp)\n"                                                      \
		   "	mov 8(%rsi), %rax\n"                                                          \
		   "	mov %fs:24(%rax), %rax\n"                                                     \
		   "	test %rax, %rax\n"                                                            \
		   "	je 2b\n"                                                                      \
		   "	add 16(%rsi), %rax\n" count "	jb 2b\n"                                     \
		   "	mov -0x10(%rsp), %rax\n" BEGIN "	jmp 2b\n"
#define LESS "	subl $1, 64(%rax)\n"
#define LESS_WAITING                                                                               \
	"	movzwl 64(%rax), %ecx\n"                                                                 \
	"	sub $1, %ecx\n"                                                                          \
	"	mov %ecx, 64(%rax)\n"

/* clang-format off */
__asm__(".text\n"
	LOOP("funcpatch_plain", FIRST, BEGIN END)
	LOOP("funcpatch_plain_later", LATER, BEGIN END)
	LOOP("funcpatch_led", FIRST, FAR COPY BEGIN END)
	LOOP("funcpatch_led_later", LATER, FAR COPY BEGIN END)
	LOOP("funcpatch_entered", FIRST, FARTHER COPY BEGIN END)
	LOOP("funcpatch_entered_later", LATER, FARTHER COPY BEGIN END)
	LOOP("funcpatch_led_waiting", LATER, FAR WAITING BEGIN END)
	LOOP("funcpatch_trampoline", FIRST, TRAMPOLINE(LESS))
	LOOP("funcpatch_trampoline_later", LATER, TRAMPOLINE(LESS))
	LOOP("funcpatch_trampoline_waiting", LATER, TRAMPOLINE(LESS_WAITING)));
/* clang-format on */

#define HIDDEN(name)                                                                               \
	uint64_t name(uint64_t value, struct words *words, uint64_t offset, uint64_t calls)        \
		__attribute__((visibility("hidden")))

HIDDEN(funcpatch_plain);
HIDDEN(funcpatch_plain_later);
HIDDEN(funcpatch_led);
HIDDEN(funcpatch_led_later);
HIDDEN(funcpatch_entered);
HIDDEN(funcpatch_entered_later);
HIDDEN(funcpatch_led_waiting);
HIDDEN(funcpatch_trampoline);
HIDDEN(funcpatch_trampoline_later);
HIDDEN(funcpatch_trampoline_waiting);

static int64_t counted_time_round(loop_fn loop, struct words *words)
{
	uint64_t offset = (uint64_t)(uintptr_t)words - funcpatch_thread_pointer();
	uint64_t start = usage_clock_ns(CLOCK_MONOTONIC), value;

	value = loop(1, words, offset, CALLS);
	__asm__ volatile("" ::"r"(value) : "memory");
	return (int64_t)(usage_clock_ns(CLOCK_MONOTONIC) - start);
}

static int counted_compare(const void *left, const void *right)
{
	int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

struct kind {
	loop_fn counted, plain;
	int64_t more_ns; /* of a round, the most of all passes so far */
};

/* Alternating with and without: the median, because interrupts spoil some. */
static void time_kind(struct kind *kind)
{
	struct words words = {.count = UINT32_MAX / 2};
	int64_t more_ns[ROUNDS];

	words.left = &words;
	words.thread_offset = (uint64_t)(uintptr_t)&words - funcpatch_thread_pointer();
	(void)counted_time_round(kind->plain, &words);
	(void)counted_time_round(kind->counted, &words);
	for (int i = 0; i < ROUNDS; i++) {
		int64_t plain_ns = counted_time_round(kind->plain, &words);

		more_ns[i] = counted_time_round(kind->counted, &words) - plain_ns;
	}
	qsort(more_ns, ROUNDS, sizeof(*more_ns), counted_compare);
	if (kind->more_ns < more_ns[ROUNDS / 2])
		kind->more_ns = more_ns[ROUNDS / 2];
}

/* Of several passes, the most: while another program shares the core, every call is slower, and
 * counting seems to cost nothing.  kinds: the last is the one that waits. */
static uint64_t middle_ps(struct kind *kinds, int count)
{
	int64_t known_ns = 0;

	for (int pass = 0; pass < PASSES; pass++)
		for (int i = 0; i < count; i++)
			time_kind(&kinds[i]);
	for (int i = 0; i < count - 1; i++)
		known_ns += kinds[i].more_ns;
	return (uint64_t)(known_ns / (count - 1) + kinds[count - 1].more_ns) * 1000 / CALLS / 2;
}

uint64_t funcpatch_counted_ps(void)
{
	struct kind kinds[] = {
		{.counted = funcpatch_led, .plain = funcpatch_plain},
		{.counted = funcpatch_led_later, .plain = funcpatch_plain_later},
		{.counted = funcpatch_entered, .plain = funcpatch_plain},
		{.counted = funcpatch_entered_later, .plain = funcpatch_plain_later},
		{.counted = funcpatch_led_waiting, .plain = funcpatch_plain_later},
	};

	return middle_ps(kinds, sizeof(kinds) / sizeof(*kinds));
}

uint64_t funcpatch_counting_ps(void)
{
	struct kind kinds[] = {
		{.counted = funcpatch_trampoline, .plain = funcpatch_plain},
		{.counted = funcpatch_trampoline_later, .plain = funcpatch_plain_later},
		{.counted = funcpatch_trampoline_waiting, .plain = funcpatch_plain_later},
	};

	return middle_ps(kinds, sizeof(kinds) / sizeof(*kinds));
}
