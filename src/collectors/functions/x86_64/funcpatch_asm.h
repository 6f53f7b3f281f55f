/* Macros shared by the assembler code of this collector on x86-64.
 *
 * A slow routine saves in a frame what C code may change and a trampoline has not saved; the
 * return address is at 8(%rbp) then, the caller's rbp at (%rbp).  Context: any. */
#ifndef KYMO_FUNCPATCH_ASM_H
#define KYMO_FUNCPATCH_ASM_H

/* clang-format off */
/* A hidden function in a section of its own, named by a literal. */
#define ASM_FUNCTION(name) \
	".text\n" \
	".p2align 5\n" \
	".globl " name "\n" \
	".hidden " name "\n" \
	".type " name ", @function\n" \
	name ":\n" \
	"	.cfi_startproc\n"
#define ASM_END(name) \
	"	.cfi_endproc\n" \
	".size " name ", .-" name "\n"

#define ASM_FRAME \
	"	push %rbp\n" \
	"	.cfi_def_cfa_offset 16\n" \
	"	.cfi_offset rbp, -16\n" \
	"	mov %rsp, %rbp\n" \
	"	.cfi_def_cfa_register rbp\n"
/* Below rbp, the first at -8(%rbp), the last at -48(%rbp). */
#define ASM_PUSH_REGISTERS \
	"	push %rsi\n" \
	"	push %rdi\n" \
	"	push %r8\n" \
	"	push %r9\n" \
	"	push %r10\n" \
	"	push %r11\n"
/* From where they were pushed, and the frame. */
#define ASM_POP_REGISTERS_AND_FRAME \
	"	pop %r11\n" \
	"	pop %r10\n" \
	"	pop %r9\n" \
	"	pop %r8\n" \
	"	pop %rdi\n" \
	"	pop %rsi\n" \
	"	pop %rbp\n" \
	"	.cfi_def_cfa rsp, 8\n"
/* clang-format on */

#endif
