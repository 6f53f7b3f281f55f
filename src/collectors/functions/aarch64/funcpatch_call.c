/* Calls from trampolines into C on aarch64.
 *
 * A trampoline may call wherever a function begins or ends: all registers may be live, including
 * the flags and the vector registers.  The slow routines save the general ones and the flags,
 * and are compiled to use no others; code that needs more is called through funcpatch_call_on(),
 * which saves everything a C function can change.  x0, x1, x16 and x17 are already saved in the
 * trampoline's frame. */
#include "collectors/functions/funcpatch_call.h"

#include <sched.h>
#include <sys/auxv.h>

#include "base/threadlocal.h"
#include "collectors/functions/records/funcpatch_slow.h"
#include "collectors/functions/threads/funcpatch_threads.h"
#include "platform/ticks.h"

#define PAGE 4096u

/* clang-format off */
#define BEGIN(name) \
	".text\n" \
	".p2align 4\n" \
	".globl " #name "\n" \
	".hidden " #name "\n" \
	".type " #name ", %function\n" \
	#name ":\n" \
	"	.cfi_startproc\n"
#define END(name) \
	"	.cfi_endproc\n" \
	".size " #name ", .-" #name "\n"
/* What C code may change and trampolines have not saved: x2 to x15, x18, and the flags. */
#define SAVE \
	"	stp x29, x30, [sp, #-160]!\n" \
	"	.cfi_def_cfa_offset 160\n" \
	"	.cfi_offset x29, -160\n" \
	"	.cfi_offset x30, -152\n" \
	"	mov x29, sp\n" \
	"	stp x2, x3, [sp, #16]\n" \
	"	stp x4, x5, [sp, #32]\n" \
	"	stp x6, x7, [sp, #48]\n" \
	"	stp x8, x9, [sp, #64]\n" \
	"	stp x10, x11, [sp, #80]\n" \
	"	stp x12, x13, [sp, #96]\n" \
	"	stp x14, x15, [sp, #112]\n" \
	"	mrs x2, nzcv\n" \
	"	stp x18, x2, [sp, #128]\n"
#define RESTORE \
	"	ldp x18, x2, [sp, #128]\n" \
	"	msr nzcv, x2\n" \
	"	ldp x14, x15, [sp, #112]\n" \
	"	ldp x12, x13, [sp, #96]\n" \
	"	ldp x10, x11, [sp, #80]\n" \
	"	ldp x8, x9, [sp, #64]\n" \
	"	ldp x6, x7, [sp, #48]\n" \
	"	ldp x4, x5, [sp, #32]\n" \
	"	ldp x2, x3, [sp, #16]\n" \
	"	ldp x29, x30, [sp], #160\n" \
	"	.cfi_restore x29\n" \
	"	.cfi_restore x30\n" \
	"	.cfi_def_cfa_offset 0\n" \
	"	ret\n"

/* w16 index, x0 slot.  The start of a timed call is stored last. */
__asm__(BEGIN(funcpatch_slow_enter)
	SAVE
	"	mov x1, x0\n"
	"	mov w0, w16\n"
	"	mov x2, x30\n"
	"	ldr x3, [sp]\n"
	"	bl funcpatch_enter\n"
	"	cbz x1, 1f\n"
	"	mrs x0, cntvct_el0\n"
	"	str x0, [x1]\n"
	"1:\n"
	RESTORE
	END(funcpatch_slow_enter));

/* x0 slot.  The time is read first: it is the end of a call that may be timed. */
__asm__(BEGIN(funcpatch_slow_exit)
	SAVE
	"	mrs x2, cntvct_el0\n"
	"	mov x1, x30\n"
	"	bl funcpatch_exit\n"
	RESTORE
	END(funcpatch_slow_exit));

#define KEEP_VECTORS \
	"	stp q0, q1, [sp]\n" \
	"	stp q2, q3, [sp, #32]\n" \
	"	stp q4, q5, [sp, #64]\n" \
	"	stp q6, q7, [sp, #96]\n" \
	"	stp q8, q9, [sp, #128]\n" \
	"	stp q10, q11, [sp, #160]\n" \
	"	stp q12, q13, [sp, #192]\n" \
	"	stp q14, q15, [sp, #224]\n" \
	"	stp q16, q17, [sp, #256]\n" \
	"	stp q18, q19, [sp, #288]\n" \
	"	stp q20, q21, [sp, #320]\n" \
	"	stp q22, q23, [sp, #352]\n" \
	"	stp q24, q25, [sp, #384]\n" \
	"	stp q26, q27, [sp, #416]\n" \
	"	stp q28, q29, [sp, #448]\n" \
	"	stp q30, q31, [sp, #480]\n" \
	"	mrs x9, fpcr\n" \
	"	mrs x10, fpsr\n" \
	"	str x9, [sp, #512]\n" \
	"	str x10, [sp, #520]\n" \
	"	msr fpcr, xzr\n"
#define GIVE_VECTORS \
	"	ldr x9, [sp, #512]\n" \
	"	ldr x10, [sp, #520]\n" \
	"	msr fpcr, x9\n" \
	"	msr fpsr, x10\n" \
	"	ldp q0, q1, [sp]\n" \
	"	ldp q2, q3, [sp, #32]\n" \
	"	ldp q4, q5, [sp, #64]\n" \
	"	ldp q6, q7, [sp, #96]\n" \
	"	ldp q8, q9, [sp, #128]\n" \
	"	ldp q10, q11, [sp, #160]\n" \
	"	ldp q12, q13, [sp, #192]\n" \
	"	ldp q14, q15, [sp, #224]\n" \
	"	ldp q16, q17, [sp, #256]\n" \
	"	ldp q18, q19, [sp, #288]\n" \
	"	ldp q20, q21, [sp, #320]\n" \
	"	ldp q22, q23, [sp, #352]\n" \
	"	ldp q24, q25, [sp, #384]\n" \
	"	ldp q26, q27, [sp, #416]\n" \
	"	ldp q28, q29, [sp, #448]\n" \
	"	ldp q30, q31, [sp, #480]\n"
/* x0 function, x1 argument. */
#define CALL_KEEPING_VECTORS \
	KEEP_VECTORS \
	"	mov x3, x0\n" \
	"	mov x0, x1\n" \
	"	blr x3\n" \
	GIVE_VECTORS
#define FRAME \
	"	stp x29, x30, [sp, #-16]!\n" \
	"	.cfi_def_cfa_offset 16\n" \
	"	.cfi_offset x29, -16\n" \
	"	.cfi_offset x30, -8\n" \
	"	mov x29, sp\n" \
	"	.cfi_def_cfa_register x29\n"
#define NO_FRAME \
	"	mov sp, x29\n" \
	"	.cfi_def_cfa_register sp\n" \
	"	ldp x29, x30, [sp], #16\n" \
	"	.cfi_restore x29\n" \
	"	.cfi_restore x30\n" \
	"	.cfi_def_cfa_offset 0\n" \
	"	ret\n"

/* x0 function, x1 argument, x2 top of the other stack. */
__asm__(BEGIN(funcpatch_call_on)
	FRAME
	"	and x2, x2, #-16\n"
	"	sub x2, x2, #528\n"
	"	mov sp, x2\n"
	CALL_KEEPING_VECTORS
	NO_FRAME
	END(funcpatch_call_on));

__asm__(BEGIN(funcpatch_call_kept)
	FRAME
	"	sub sp, sp, #528\n"
	CALL_KEEPING_VECTORS
	NO_FRAME
	END(funcpatch_call_kept));

/* x0 flags, x1 top of the stack, x2 the parent's id, x3 thread pointer, x4 the child's id: as
 * for the kernel.  The new thread finds its function on its stack. */
__asm__(BEGIN(funcpatch_clone)
	"	mov x8, #220\n"
	"	svc #0\n"
	"	cbz x0, 1f\n"
	"	ret\n"
	"1:	.cfi_undefined x30\n"
	"	mov x29, #0\n"
	"	mov x30, #0\n"
	"	ldr x1, [sp]\n"
	"	blr x1\n"
	"	mov x0, #0\n"
	"	mov x8, #93\n"
	"	svc #0\n"
	"	brk #0\n"
	END(funcpatch_clone));
/* clang-format on */

long funcpatch_clone(unsigned long flags, void *top, int32_t *id, uint64_t local,
		     int32_t *cleared_id) __attribute__((visibility("hidden")));

long funcpatch_thread_make(int (*function)(void *), void *top, uint64_t local, int32_t *id)
{
	uint64_t *stack = (uint64_t *)top - 2;

	stack[0] = (uint64_t)(uintptr_t)function;
	return funcpatch_clone(CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
				       CLONE_SYSVSEM | CLONE_SETTLS | CLONE_PARENT_SETTID |
				       CLONE_CHILD_CLEARTID,
			       stack, id, local, id);
}

/* Threads are not stopped if their registers are unknown (threadregs.h). */
long funcpatch_process_make(int (*function)(void *), void *top)
{
	(void)function, (void)top;
	return -1;
}

uint64_t funcpatch_thread_pointer(void)
{
	return (uint64_t)(uintptr_t)__builtin_thread_pointer();
}

/* No word around the thread pointer contains its own address. */
void funcpatch_thread_pointer_fix(uint64_t pointer)
{
	(void)pointer;
}

bool funcpatch_count_down(uint32_t *left)
{
	return __atomic_fetch_sub(left, 1, __ATOMIC_RELAXED) == 0;
}

/* There are no call-throughs. */
bool funcpatch_is_return_point(uint64_t address)
{
	(void)address;
	return false;
}

/* Plans assume pages of 4 KiB. */
bool funcpatch_call_init(void)
{
	return getauxval(AT_PAGESZ) == PAGE;
}

uint64_t funcpatch_thread_offset(void)
{
	return threadlocal_address(&funcpatch_thread_state) - funcpatch_thread_pointer();
}
