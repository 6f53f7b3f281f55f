/* Calls from trampolines into C on x86-64.
 *
 * A trampoline may call wherever a function begins or ends: all registers may be live, including
 * the vector registers, and the stack is not aligned.  The slow routines save the general ones
 * and are compiled to use no others; code that needs more is called through funcpatch_call_on(),
 * which saves everything a C function can change. */
#include "collectors/functions/funcpatch_call.h"

#include <cpuid.h>
#include <sched.h>

#include "base/threadlocal.h"
#include "collectors/functions/funcpatch.h"
#include "collectors/functions/records/funcpatch_slow.h"
#include "collectors/functions/threads/funcpatch_threads.h"
#include "collectors/functions/x86_64/funcpatch_asm.h"
#include "patch/analyse/x86_64/patchreturn.h"

/* x87, SSE, AVX and the three parts of AVX-512: 0xe7. */
#define XSAVE_BYTES "2752"

extern uint64_t funcpatch_has_xsave;
uint64_t funcpatch_has_xsave __attribute__((visibility("hidden")));

/* clang-format off */
/* Trampolines have its address. */
#define SLOW_ROUTINE(name) \
	ASM_FUNCTION(name) \
	"	endbr64\n" \
	ASM_FRAME \
	ASM_PUSH_REGISTERS \
	"	and $-16, %rsp\n"
#define RESTORE \
	"	lea -48(%rbp), %rsp\n" \
	ASM_POP_REGISTERS_AND_FRAME

/* eax index, rdx slot; eax on return: whether the end of the call has to be recorded. */
__asm__(SLOW_ROUTINE("funcpatch_slow_enter")
	"	mov %eax, %edi\n"
	"	mov %rdx, %rsi\n"
	"	mov 8(%rbp), %rdx\n"
	"	mov (%rbp), %rcx\n"
	"	mov %rbp, %r8\n"
	"	cld\n"
	"	call funcpatch_enter\n"
	"	mov %rdx, %rcx\n"
	RESTORE
	"	test %rcx, %rcx\n"
	"	jnz 1f\n"
	"	ret\n"
	"1:	lfence\n"
	"	rdtsc\n"
	"	lfence\n"
	"	shl $32, %rdx\n"
	"	or %rdx, %rax\n"
	"	mov %rax, (%rcx)\n"
	"	mov $1, %eax\n"
	"	ret\n"
	ASM_END("funcpatch_slow_enter"));

/* rdx slot.  The time is read first: it is the end of a call that may be timed. */
__asm__(SLOW_ROUTINE("funcpatch_slow_exit")
	"	mov %rdx, %rdi\n"
	"	lfence\n"
	"	rdtsc\n"
	"	shl $32, %rdx\n"
	"	or %rax, %rdx\n"
	"	mov 8(%rbp), %rsi\n"
	"	cld\n"
	"	call funcpatch_exit\n"
	RESTORE
	"	ret\n"
	ASM_END("funcpatch_slow_exit"));

/* The area begins with the 512 bytes of the legacy region; the 64 after it must be zero.  x87
 * and SSE are set to what C functions expect. */
__asm__(ASM_FUNCTION("funcpatch_call_on")
	ASM_FRAME
	"	mov %rdi, %r8\n"
	"	mov %rsi, %rdi\n"
	"	mov %rdx, %rsp\n"
	"	and $-64, %rsp\n"
	"	sub $" XSAVE_BYTES "+64, %rsp\n"
	"	and $-64, %rsp\n"
	"	cmpq $0, funcpatch_has_xsave(%rip)\n"
	"	je 1f\n"
	"	xor %eax, %eax\n"
	"	mov %rax, 512(%rsp)\n"
	"	mov %rax, 520(%rsp)\n"
	"	mov %rax, 528(%rsp)\n"
	"	mov %rax, 536(%rsp)\n"
	"	mov %rax, 544(%rsp)\n"
	"	mov %rax, 552(%rsp)\n"
	"	mov %rax, 560(%rsp)\n"
	"	mov %rax, 568(%rsp)\n"
	"	mov $0xe7, %eax\n"
	"	xor %edx, %edx\n"
	"	xsave64 (%rsp)\n"
	"	jmp 2f\n"
	"1:	fxsave64 (%rsp)\n"
	"2:	fninit\n"
	"	movl $0x1f80, -8(%rsp)\n"
	"	ldmxcsr -8(%rsp)\n"
	"	call *%r8\n"
	"	cmpq $0, funcpatch_has_xsave(%rip)\n"
	"	je 3f\n"
	"	mov $0xe7, %eax\n"
	"	xor %edx, %edx\n"
	"	xrstor64 (%rsp)\n"
	"	jmp 4f\n"
	"3:	fxrstor64 (%rsp)\n"
	"4:	mov %rbp, %rsp\n"
	"	pop %rbp\n"
	"	.cfi_def_cfa rsp, 8\n"
	"	ret\n"
	ASM_END("funcpatch_call_on"));

/* Code compiled for baseline x86-64 changes the lower halves of the first sixteen, and MXCSR. */
__asm__(ASM_FUNCTION("funcpatch_call_kept")
	ASM_FRAME
	"	sub $272, %rsp\n"
	"	and $-16, %rsp\n"
	"	stmxcsr 256(%rsp)\n"
	"	movl $0x1f80, 260(%rsp)\n"
	"	ldmxcsr 260(%rsp)\n"
	"	movaps %xmm0, (%rsp)\n"
	"	movaps %xmm1, 16(%rsp)\n"
	"	movaps %xmm2, 32(%rsp)\n"
	"	movaps %xmm3, 48(%rsp)\n"
	"	movaps %xmm4, 64(%rsp)\n"
	"	movaps %xmm5, 80(%rsp)\n"
	"	movaps %xmm6, 96(%rsp)\n"
	"	movaps %xmm7, 112(%rsp)\n"
	"	movaps %xmm8, 128(%rsp)\n"
	"	movaps %xmm9, 144(%rsp)\n"
	"	movaps %xmm10, 160(%rsp)\n"
	"	movaps %xmm11, 176(%rsp)\n"
	"	movaps %xmm12, 192(%rsp)\n"
	"	movaps %xmm13, 208(%rsp)\n"
	"	movaps %xmm14, 224(%rsp)\n"
	"	movaps %xmm15, 240(%rsp)\n"
	"	mov %rdi, %rax\n"
	"	mov %rsi, %rdi\n"
	"	call *%rax\n"
	"	movaps (%rsp), %xmm0\n"
	"	movaps 16(%rsp), %xmm1\n"
	"	movaps 32(%rsp), %xmm2\n"
	"	movaps 48(%rsp), %xmm3\n"
	"	movaps 64(%rsp), %xmm4\n"
	"	movaps 80(%rsp), %xmm5\n"
	"	movaps 96(%rsp), %xmm6\n"
	"	movaps 112(%rsp), %xmm7\n"
	"	movaps 128(%rsp), %xmm8\n"
	"	movaps 144(%rsp), %xmm9\n"
	"	movaps 160(%rsp), %xmm10\n"
	"	movaps 176(%rsp), %xmm11\n"
	"	movaps 192(%rsp), %xmm12\n"
	"	movaps 208(%rsp), %xmm13\n"
	"	movaps 224(%rsp), %xmm14\n"
	"	movaps 240(%rsp), %xmm15\n"
	"	ldmxcsr 256(%rsp)\n"
	"	mov %rbp, %rsp\n"
	"	pop %rbp\n"
	"	.cfi_def_cfa rsp, 8\n"
	"	ret\n"
	ASM_END("funcpatch_call_kept"));
/* clang-format on */

/* rdi flags, rsi top of the stack, rdx and r10 ids, r8 thread pointer: as for the kernel.  The
 * new thread finds its function on its stack. */
__asm__(".text\n"
	".p2align 5\n"
	".type funcpatch_clone, @function\n"
	"funcpatch_clone:\n"
	"	.cfi_startproc\n"
	"	mov %rcx, %r10\n"
	"	mov $56, %eax\n"
	"	syscall\n"
	"	test %rax, %rax\n"
	"	jz 1f\n"
	"	ret\n"
	"1:	.cfi_undefined rip\n"
	"	xor %ebp, %ebp\n"
	"	pop %rax\n"
	"	xor %edi, %edi\n"
	"	call *%rax\n"
	"	xor %edi, %edi\n"
	"	mov $60, %eax\n"
	"	syscall\n"
	"	hlt\n"
	"	.cfi_endproc\n"
	".size funcpatch_clone, .-funcpatch_clone\n");

long funcpatch_clone(unsigned long flags, void *top, int32_t *id, int32_t *cleared_id,
		     uint64_t local) __attribute__((visibility("hidden")));

/* Aligned as at any function's entry if it is called from there. */
static uint64_t *stack_for(int (*function)(void *), void *top)
{
	uint64_t *stack = (uint64_t *)top - 3;

	stack[0] = (uint64_t)(uintptr_t)function;
	return stack;
}

/* No tracer of the program is notified. */
long funcpatch_process_make(int (*function)(void *), void *top)
{
	return funcpatch_clone(CLONE_VM | CLONE_UNTRACED, stack_for(function, top), NULL, NULL, 0);
}

long funcpatch_thread_make(int (*function)(void *), void *top, uint64_t local, int32_t *id)
{
	uint64_t *stack = stack_for(function, top);

	return funcpatch_clone(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
				       CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
				       CLONE_CHILD_CLEARTID,
			       stack, id, id, local);
}

uint64_t funcpatch_thread_pointer(void)
{
	uint64_t pointer;

	__asm__("mov %%fs:0, %0" : "=r"(pointer));
	return pointer;
}

bool funcpatch_is_return_point(uint64_t address)
{
	return address % 16 == RETURN_POINT_REMAINDER &&
	       *(const uint64_t *)(uintptr_t)address == RETURN_POINT_NOP;
}

/* The first word and the third are the pointer itself. */
void funcpatch_thread_pointer_fix(uint64_t pointer)
{
	uint64_t *block = (uint64_t *)(uintptr_t)pointer;

	block[0] = block[2] = pointer;
}

bool funcpatch_count_down(uint32_t *left)
{
	bool had_none;

	__asm__ volatile("subl $1, %0" : "+m"(*left), "=@ccb"(had_none));
	return had_none;
}

bool funcpatch_call_init(void)
{
	unsigned eax, ebx, ecx, edx;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx))
		return false;
	funcpatch_has_xsave = (ecx >> 27) & 1; /* enabled by the kernel */
	return true;
}

uint64_t funcpatch_thread_offset(void)
{
	return threadlocal_address(&funcpatch_thread_state) - funcpatch_thread_pointer();
}
