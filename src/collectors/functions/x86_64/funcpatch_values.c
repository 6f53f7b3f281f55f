/* Locations of values on x86-64, and the return point of calls whose end is recorded.
 *
 * That point looks like those of trampolines (docs/patch.md, "Call-through"): a trampoline that
 * finds it in place of its return address leaves the shadow slot unchanged.  Its unwind rules
 * are theirs, too. */
#include "collectors/functions/records/funcpatch_values.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/threads/funcpatch_shadow.h"
#include "collectors/functions/x86_64/funcpatch_asm.h"
#include "platform/code/rawmemory.h"

#define RETURN_POINT_NOP                                                                           \
	UINT64_C(0x4f4d594b00841f0f) /* as in patch/analyse/x86_64/patchreturn.h                   \
				      */

void funcpatch_values_point(void) __attribute__((visibility("hidden")));

/* clang-format off */
/* DW_CFA_expression: the return address is at (base + offset) XOR 2^46.  Valgrind, which reads
 * the tables of all libraries, does not support that operation: a XOR b is a + b - 2 (a AND b). */
#define BIT "0x31, 0x08, 46, 0x24" /* 1 << 46 */
#define SECOND(base, offset)                                                      \
	"	.cfi_escape 0x10, 0x10, 17, " base ", " offset ", " BIT ", 0x22, " base ", " \
	offset ", " BIT ", 0x1a, 0x31, 0x24, 0x1c\n"
/* .cfi_val_offset rsp, -8 * words, which not all assemblers know: DW_CFA_val_offset. */
#define RSP_BELOW(words) "	.cfi_escape 0x14, 0x07, " words "\n"
#define RSP_PLUS "0x77"
#define RBP_PLUS "0x76"

__asm__(".text\n"
	".p2align 4\n"
	".type funcpatch_values_point, @function\n"
	".globl funcpatch_values_point\n"
	".hidden funcpatch_values_point\n"
	"	.cfi_startproc\n"
	"	.cfi_def_cfa rsp, 8\n"
	RSP_BELOW("1")
	SECOND(RSP_PLUS, "0x78") /* -8 */
	"	.byte 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0\n"
	"funcpatch_values_point:\n"
	"	.byte 0x0f, 0x1f, 0x84, 0, 'K', 'Y', 'M', 'O'\n"
	"	lea -8(%rsp), %rsp\n"
	"	.cfi_def_cfa_offset 16\n"
	SECOND(RSP_PLUS, "0")
	"	push %rbp\n"
	"	.cfi_def_cfa_offset 24\n"
	"	.cfi_offset rbp, -24\n"
	SECOND(RSP_PLUS, "8")
	"	mov %rsp, %rbp\n"
	"	.cfi_def_cfa_register rbp\n"
	SECOND(RBP_PLUS, "8")
	ASM_PUSH_REGISTERS
	"	push %rax\n"
	"	push %rdx\n"
	"	push %rcx\n"
	"	and $-16, %rsp\n"
	"	mov %rbp, %rdi\n"
	"	cld\n"
	"	call funcpatch_values_returned\n"
	"	mov %rax, 8(%rbp)\n"
	"	lea -72(%rbp), %rsp\n"
	"	pop %rcx\n"
	"	pop %rdx\n"
	"	pop %rax\n"
	ASM_POP_REGISTERS_AND_FRAME
	"	.cfi_same_value rbp\n"
	"	.cfi_offset rip, -8\n"
	RSP_BELOW("0")
	"	ret\n"
	"	.cfi_endproc\n"
	".size funcpatch_values_point, .-funcpatch_values_point\n");
/* clang-format on */

static bool is_return_point(uint64_t address)
{
	if (address == (uint64_t)(uintptr_t)funcpatch_values_point)
		return true;
	return address % 16 == 8 && funcpatch_module_at(address) &&
	       *(const uint64_t *)(uintptr_t)address == RETURN_POINT_NOP;
}

bool funcpatch_values_turn(uint64_t slot)
{
	uint64_t *place = (uint64_t *)(uintptr_t)slot;
	uint64_t *second = (uint64_t *)(uintptr_t)(slot ^ UINT64_C(1) << PATCH_SHADOW_BIT);

	if (slot < funcpatch_shadow_start())
		return false;
	if (!is_return_point(*place))
		*second = *place;
	*place = (uint64_t)(uintptr_t)funcpatch_values_point;
	return true;
}

/* Saved by the slow routine, below its rbp, and by the trampoline, below the return address. */
void funcpatch_values_registers(struct funcpatch_call *call, const uint64_t *saved)
{
	const uint64_t *slot = (const uint64_t *)(uintptr_t)call->slot;

	call->integers[0] = saved[-2];
	call->integers[1] = saved[-1];
	call->integers[2] = slot[-3];
	call->integers[3] = slot[-4];
	call->integers[4] = saved[-3];
	call->integers[5] = saved[-4];
	__asm__ volatile("movq %%xmm0, (%0)\n"
			 "movq %%xmm1, 8(%0)\n"
			 "movq %%xmm2, 16(%0)\n"
			 "movq %%xmm3, 24(%0)\n"
			 "movq %%xmm4, 32(%0)\n"
			 "movq %%xmm5, 40(%0)\n"
			 "movq %%xmm6, 48(%0)\n"
			 "movq %%xmm7, 56(%0)\n"
			 :
			 : "r"(call->vectors)
			 : "memory");
}

uint64_t funcpatch_values_vector(void)
{
	uint64_t value;

	__asm__ volatile("movq %%xmm0, %0" : "=r"(value));
	return value;
}

/* st0 is kept: there is space for one more when a function has returned. */
void funcpatch_values_x87(uint8_t out[16])
{
	__asm__ volatile("fld %%st(0)\n"
			 "fstpt (%0)\n"
			 :
			 : "r"(out)
			 : "memory");
}
