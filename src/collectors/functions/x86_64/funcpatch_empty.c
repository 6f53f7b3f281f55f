/* The part of the measured time that timing one call takes, on x86-64.
 *
 * Between the two readings of a timed call are the return from the slow routine, jumps, and a
 * branch after the function that the processor mispredicts, because nearly all calls go the
 * other way.  So that is measured on code that is built like a trampoline, around an empty
 * function.  To be mispredicted here, too, most of the selected calls are not timed, at random:
 * otherwise the processor would learn from the slow routine that the other way comes next. */
#include "collectors/functions/funcpatch_empty.h"

#include "collectors/functions/funcpatch_call.h"
#include "collectors/functions/x86_64/funcpatch_asm.h"

#define UNTIMED 8u /* calls between two that are selected */
#define ONE_IN	8u /* of which one in so many is timed */
#define TIMED	63u
#define LOWER	56u /* of these count: interrupts only add */

struct empty {
	uint32_t left; /* calls until one is selected */
	uint32_t unused;
	uint64_t start, end;
	uint64_t slot;	 /* of the timed call; 0 = none */
	uint64_t wanted; /* all ones: the selected call is timed; else 0 */
};

void funcpatch_empty_call(struct empty *empty) __attribute__((visibility("hidden")));

static __attribute__((used)) void nothing(void *argument)
{
	__asm__ volatile("" ::"r"(argument) : "memory");
}

/* The order of the code between the readings is that of trampolines and slow routines. */
/* clang-format off */
__asm__(ASM_FUNCTION("funcpatch_empty_call")
	"	subl $1, (%rdi)\n"
	"	jb 2f\n"
	"1:	jmp 5f\n"
	/* The function, and after it what all functions leave through. */
	"	.p2align 5\n"
	"5:	jmp 6f\n"
	"	.p2align 5\n"
	"6:	mov %rcx, -0x20(%rsp)\n"
	"	mov 24(%rdi), %rcx\n"
	"	cmp %rcx, %rsp\n"
	"	je 8f\n"
	"7:	mov -0x20(%rsp), %rcx\n"
	"	ret\n"
	"	.p2align 5\n"
	"2:	push %rdx\n"
	"	.cfi_def_cfa_offset 16\n"
	"	call 3f\n"
	"	pop %rdx\n"
	"	.cfi_def_cfa_offset 8\n"
	"	jmp 1b\n"
	"	.p2align 5\n"
	"8:	mov %rdx, -0x18(%rsp)\n"
	"	mov %rax, -0x10(%rsp)\n"
	"	movq $0, 24(%rdi)\n"
	"	lea -0x28(%rsp), %rsp\n"
	"	.cfi_def_cfa_offset 48\n"
	"	call 4f\n"
	"	lea 0x28(%rsp), %rsp\n"
	"	.cfi_def_cfa_offset 8\n"
	"	mov -0x18(%rsp), %rdx\n"
	"	mov -0x10(%rsp), %rax\n"
	"	jmp 7b\n"
	"	.cfi_endproc\n"
	/* As a slow routine at an entry. */
	"	.p2align 5\n"
	"3:	.cfi_startproc\n"
	ASM_FRAME
	ASM_PUSH_REGISTERS
	"	and $-16, %rsp\n"
	"	push %rdi\n"
	"	push %rdi\n"
	"	mov %rdi, %rsi\n"
	"	lea nothing(%rip), %rdi\n"
	"	call funcpatch_call_kept\n"
	"	pop %rcx\n"
	"	lea 24(%rbp), %rax\n"
	"	and 32(%rcx), %rax\n"
	"	mov %rax, 24(%rcx)\n"
	"	lea -48(%rbp), %rsp\n"
	ASM_POP_REGISTERS_AND_FRAME
	"	lfence\n"
	"	rdtsc\n"
	"	lfence\n"
	"	shl $32, %rdx\n"
	"	or %rdx, %rax\n"
	"	mov %rax, 8(%rcx)\n"
	"	mov $1, %eax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	/* … and at an exit. */
	"	.p2align 5\n"
	"4:	.cfi_startproc\n"
	ASM_FRAME
	ASM_PUSH_REGISTERS
	"	lfence\n"
	"	rdtsc\n"
	"	shl $32, %rdx\n"
	"	or %rdx, %rax\n"
	"	mov %rax, 16(%rdi)\n"
	"	leave\n"
	"	.cfi_def_cfa rsp, 8\n"
	"	ret\n"
	ASM_END("funcpatch_empty_call"));
/* clang-format on */

static void empty_insert(uint64_t *sorted, uint32_t count, uint64_t value)
{
	uint32_t at = count;

	for (; at > 0 && sorted[at - 1] > value; at--)
		sorted[at] = sorted[at - 1];
	sorted[at] = value;
}

/* Time one call, among others. */
static uint64_t time_one(struct empty *empty, uint64_t *random)
{
	do {
		*random ^= *random << 13;
		*random ^= *random >> 7;
		*random ^= *random << 17;
		empty->wanted = (*random >> 32) % ONE_IN == 0 ? UINT64_MAX : 0;
		empty->left = UNTIMED;
		for (uint32_t i = 0; i <= UNTIMED; i++)
			funcpatch_empty_call(empty);
	} while (!empty->wanted);
	return empty->end - empty->start;
}

/* A mean: if the clock advances in steps longer than a tick, a median has few possible values. */
uint64_t funcpatch_empty_ticks(void)
{
	struct empty empty = {.left = UNTIMED};
	uint64_t sorted[TIMED], random = UINT64_C(88172645463325252), sum = 0;

	nothing(&empty);
	for (uint32_t i = 0; i < TIMED; i++)
		empty_insert(sorted, i, time_one(&empty, &random));
	for (uint32_t i = 0; i < LOWER; i++)
		sum += sorted[i];
	return (sum + LOWER / 2) / LOWER;
}
