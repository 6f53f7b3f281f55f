/* Calls of a function, recorded as trampolines do it, on x86-64: to be timed.
 *
 * The instructions are those of patch/plan/x86_64, in their order, on substitute thread state.
 * What is never reached here, such as the slow routine, is omitted. */
#include "collectors/functions/funcpatch_recorded.h"

#include <stddef.h>

#include "collectors/functions/funcpatch_call.h"
#include "collectors/functions/funcpatch_settings.h"

_Static_assert(offsetof(struct funcpatch_recorded, hot) == 0 &&
		       offsetof(struct patch_thread_state, cursor) == 8 &&
		       offsetof(struct patch_thread_state, limit) == 16 &&
		       offsetof(struct patch_thread_state, last) == 24 &&
		       offsetof(struct funcpatch_recorded, is_off) == 64 &&
		       offsetof(struct funcpatch_recorded, words) == 72 &&
		       offsetof(struct funcpatch_recorded, first_id_head) == 80 &&
		       offsetof(struct funcpatch_recorded, clock) == 88 &&
		       offsetof(struct funcpatch_recorded, inside_ticks) == 96 &&
		       offsetof(struct funcpatch_recorded, work) == 104 &&
		       offsetof(struct funcpatch_recorded, value) == 112,
	       "as the code below has it");

void funcpatch_recorded_full(struct funcpatch_recorded *recorded)
	__attribute__((visibility("hidden")));
void funcpatch_recorded_full_serialized(struct funcpatch_recorded *recorded)
	__attribute__((visibility("hidden")));
void funcpatch_recorded_coarse(struct funcpatch_recorded *recorded)
	__attribute__((visibility("hidden")));
void funcpatch_recorded_coarse_serialized(struct funcpatch_recorded *recorded)
	__attribute__((visibility("hidden")));

#define SWITCH(off)                                                                                \
	"	cmpb $0, 64(%rdi)\n"                                                                     \
	"	jne " off "\n"                                                                     \
	"	mov %rax, -0x10(%rsp)\n"

#define TIME(wait, far, most)                                                                      \
	wait "	mov %rdx, -0x18(%rsp)\n"                                                            \
	     "	mov %rcx, -0x20(%rsp)\n"                                                            \
	     "	mov 72(%rdi), %rcx\n"                                                               \
	     "	cmpq $0, (%rcx)\n"                                                                  \
	     "	jne 9f\n"                                                                           \
	     "	mov %rsp, (%rcx)\n"                                                                 \
	     "	rdtsc\n"                                                                            \
	     "	shl $32, %rdx\n"                                                                    \
	     "	or %rax, %rdx\n"                                                                    \
	     "	mov %rdx, %rax\n"                                                                   \
	     "	sub 24(%rcx), %rax\n"                                                               \
	     "	mov %rdx, 24(%rcx)\n"                                                               \
	     "	cmp $" most ", %rax\n"                                                             \
	     "	jae " far "\n"

#define COMMIT(wait, bytes)                                                                        \
	"	add $" bytes ", %rdx\n"                                                            \
	"	mov %rdx, 8(%rcx)\n"                                                                     \
	"	cmp 16(%rcx), %rdx\n"                                                                    \
	"	jae 9f\n"                                                                                \
	"	movq $0, (%rcx)\n" wait "	mov -0x18(%rsp), %rdx\n"                                 \
	"	mov -0x20(%rsp), %rcx\n"                                                                 \
	"	mov -0x10(%rsp), %rax\n"

#define RESERVE(wait, bytes)                                                                       \
	wait "	mov %rcx, -0x20(%rsp)\n"                                                            \
	     "	mov 72(%rdi), %rcx\n"                                                               \
	     "	mov 88(%rdi), %rax\n"                                                               \
	     "	mov (%rax), %rax\n"                                                                 \
	     "	cmp 24(%rcx), %rax\n"                                                               \
	     "	jne 9f\n"                                                                           \
	     "	mov $" bytes ", %eax\n"                                                            \
	     "	xadd %rax, 8(%rcx)\n"                                                               \
	     "	cmp 16(%rcx), %rax\n"                                                               \
	     "	jae 9f\n"                                                                           \
	     "	lea 0(%rsp), %ecx\n"                                                                \
	     "	and $0x1ff8, %ecx\n"                                                                \
	     "	shr %ecx\n"

/* The work of the function: multiplications, each of which waits for the previous one, from call
 * to call. */
#define WORK                                                                                       \
	"	mov 104(%rdi), %eax\n"                                                                   \
	"	test %eax, %eax\n"                                                                       \
	"	jz 4f\n"                                                                                 \
	"	mov 112(%rdi), %rcx\n"                                                                   \
	"30:	imul %rcx, %rcx\n"                                                                    \
	"	dec %eax\n"                                                                              \
	"	jnz 30b\n"                                                                               \
	"	mov %rcx, 112(%rdi)\n"

/* The function, and the beginning of its exit. */
#define FUNCTION                                                                                   \
	"3:\n" WORK "	jmp 4f\n"                                                                    \
	"	.p2align 5\n"                                                                            \
	"4:\n" SWITCH("6f")

#define BEGIN(name)                                                                                \
	"	.p2align 5\n"                                                                            \
	"	.globl " name "\n"                                                                 \
	"	.hidden " name "\n"                                                                \
	"	.type " name ", @function\n" name ":\n"                                            \
	"	.cfi_startproc\n"                                                                        \
	"	jmp 1f\n"                                                                                \
	"	.p2align 5\n"

/* clang-format off */
/* 7 and 8: only after an interruption. */
#define FULL(name, wait) \
	BEGIN(name) \
	"1:\n" \
	SWITCH("3f") \
	TIME(wait, "7f", "0x1ff") \
	"2:	mov %esp, %edx\n" \
	"	shl $7, %edx\n" \
	"	and $0xffc00, %edx\n" \
	"	lea 1(%rdx, %rax, 2), %rax\n" \
	"	add 80(%rdi), %rax\n" \
	"	mov $0x900000, %edx\n" \
	"	add %rdx, %rax\n" \
	"	mov 8(%rcx), %rdx\n" \
	"	mov %rax, (%rdx)\n" \
	COMMIT(wait, "5") \
	FUNCTION \
	TIME(wait, "8f", "0xfff") \
	"	add %rax, 96(%rdi)\n" \
	"5:	lea (%rsp), %edx\n" \
	"	and $0x1ff8, %edx\n" \
	"	shl $11, %edx\n" \
	"	lea 2(%rdx, %rax, 4), %eax\n" \
	"	mov 8(%rcx), %rdx\n" \
	"	mov %eax, (%rdx)\n" \
	COMMIT(wait, "3") \
	"6:	ret\n" \
	"7:	xor %eax, %eax\n" \
	"	jmp 2b\n" \
	"8:	xor %eax, %eax\n" \
	"	jmp 5b\n" \
	"9:	ret\n" \
	"	.cfi_endproc\n" \
	".size " name ", .-" name "\n"

#define COARSE(name, wait) \
	BEGIN(name) \
	"1:\n" \
	SWITCH("3f") \
	RESERVE(wait, "4") \
	"	add 80(%rdi), %ecx\n" \
	"	add $0x9001, %ecx\n" \
	"	mov %ecx, (%rax)\n" wait \
	"	mov -0x20(%rsp), %rcx\n" \
	"	mov -0x10(%rsp), %rax\n" \
	FUNCTION \
	RESERVE(wait, "2") \
	"	or $2, %ecx\n" \
	"	mov %cx, (%rax)\n" wait \
	"	mov -0x20(%rsp), %rcx\n" \
	"	mov -0x10(%rsp), %rax\n" \
	"6:	ret\n" \
	"9:	ret\n" \
	"	.cfi_endproc\n" \
	".size " name ", .-" name "\n"

__asm__(".text\n"
	FULL("funcpatch_recorded_full", "")
	FULL("funcpatch_recorded_full_serialized", "	lfence\n")
	COARSE("funcpatch_recorded_coarse", "")
	COARSE("funcpatch_recorded_coarse_serialized", "	lfence\n"));
/* clang-format on */

bool funcpatch_recorded_call(struct funcpatch_recorded *recorded)
{
	static void (*const calls[2][2])(struct funcpatch_recorded *) = {
		{funcpatch_recorded_full, funcpatch_recorded_full_serialized},
		{funcpatch_recorded_coarse, funcpatch_recorded_coarse_serialized},
	};

	calls[PATCH_IS_MARKED(funcpatch_settings.cost)][funcpatch_settings.is_serialized](recorded);
	return true;
}
