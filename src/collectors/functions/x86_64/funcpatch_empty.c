/* What timing one call takes of the time that is measured, on x86-64.
 *
 * Between the two readings of a timed call lie the way out of the slow routine, a call and a
 * return, and branches that the processor guesses wrong, since nearly all calls go the other
 * way.  So that is measured on code that is built as a trampoline is, around an empty function
 * of which one call in some is timed. */
#include "collectors/functions/funcpatch.h"

#define UNTIMED 24u /* calls between two that are timed: enough to be guessed */
#define TIMED	63u

struct empty {
	uint32_t left; /* calls until one is timed */
	uint32_t wanted;
	uint64_t start, end;
};

void funcpatch_empty_call(struct empty *empty) __attribute__((visibility("hidden")));

static __attribute__((used)) void nothing(void *argument)
{
	__asm__ volatile("" ::"r"(argument) : "memory");
}

/* The order of what is between the readings is that of trampolines and slow routines. */
__asm__(".text\n"
	".p2align 5\n"
	".globl funcpatch_empty_call\n"
	".hidden funcpatch_empty_call\n"
	".type funcpatch_empty_call, @function\n"
	"funcpatch_empty_call:\n"
	"	.cfi_startproc\n"
	"	subl $1, (%rdi)\n"
	"	jb 2f\n"
	"1:	jmp 5f\n"
	"2:	push %rdx\n"
	"	.cfi_def_cfa_offset 16\n"
	"	call 3f\n"
	"	test %eax, %eax\n"
	"	pop %rdx\n"
	"	.cfi_def_cfa_offset 8\n"
	"	jz 1b\n"
	"	call 5f\n"
	"	nopl 0(%rax, %rax)\n"
	"	push %rdx\n"
	"	.cfi_def_cfa_offset 16\n"
	"	call 4f\n"
	"	pop %rdx\n"
	"	.cfi_def_cfa_offset 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	/* As a slow routine at an entry. */
	"	.p2align 5\n"
	"3:	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset rbp, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register rbp\n"
	"	push %rsi\n"
	"	push %rdi\n"
	"	push %r8\n"
	"	push %r9\n"
	"	push %r10\n"
	"	push %r11\n"
	"	and $-16, %rsp\n"
	"	push %rdi\n"
	"	push %rdi\n"
	"	mov %rdi, %rsi\n"
	"	lea nothing(%rip), %rdi\n"
	"	call funcpatch_call_kept\n"
	"	pop %rcx\n"
	"	lea -48(%rbp), %rsp\n"
	"	pop %r11\n"
	"	pop %r10\n"
	"	pop %r9\n"
	"	pop %r8\n"
	"	pop %rdi\n"
	"	pop %rsi\n"
	"	pop %rbp\n"
	"	.cfi_def_cfa rsp, 8\n"
	"	lfence\n"
	"	rdtsc\n"
	"	shl $32, %rdx\n"
	"	or %rdx, %rax\n"
	"	mov %rax, 8(%rcx)\n"
	"	mov 4(%rcx), %eax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	/* … and at an exit. */
	"	.p2align 5\n"
	"4:	.cfi_startproc\n"
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 16\n"
	"	.cfi_offset rbp, -16\n"
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register rbp\n"
	"	push %rsi\n"
	"	push %rdi\n"
	"	push %r8\n"
	"	push %r9\n"
	"	push %r10\n"
	"	push %r11\n"
	"	lfence\n"
	"	rdtsc\n"
	"	shl $32, %rdx\n"
	"	or %rdx, %rax\n"
	"	mov %rax, 16(%rdi)\n"
	"	leave\n"
	"	.cfi_def_cfa rsp, 8\n"
	"	ret\n"
	"	.cfi_endproc\n"
	"	.p2align 5\n"
	"5:	ret\n"
	".size funcpatch_empty_call, .-funcpatch_empty_call\n");

static void insert(uint64_t *sorted, uint32_t count, uint64_t value)
{
	uint32_t at = count;

	for (; at > 0 && sorted[at - 1] > value; at--)
		sorted[at] = sorted[at - 1];
	sorted[at] = value;
}

/* The median: interrupts only add. */
uint64_t funcpatch_empty_ticks(void)
{
	struct empty empty = {.left = UNTIMED, .wanted = 1};
	uint64_t sorted[TIMED];

	nothing(&empty);
	for (uint32_t i = 0; i < TIMED; i++) {
		for (uint32_t k = 0; k <= UNTIMED; k++)
			funcpatch_empty_call(&empty);
		empty.left = UNTIMED;
		insert(sorted, i, empty.end - empty.start);
	}
	return sorted[TIMED / 2];
}
