/* Instructions of x86-64 on values and flags: planasm.h. */
#ifndef KYMO_PLANARITHMETICX86_64_H
#define KYMO_PLANARITHMETICX86_64_H

#include "patch/plan/x86_64/planasm.h"

/* mov reg32, value */
static inline void asm_value(struct plan_out to, enum asm_register reg, uint32_t value)
{
	ASM_BYTES(to, (uint8_t)(0xb8 | reg));
	planblob_bytes(to.blob, to.is_cold, &value, sizeof(value));
}

/* movabs reg, value */
static inline void asm_value_long(struct plan_out to, enum asm_register reg, uint64_t value)
{
	ASM_BYTES(to, 0x48, (uint8_t)(0xb8 | reg));
	planblob_bytes(to.blob, to.is_cold, &value, sizeof(value));
}

/* cmp rax, value */
static inline void asm_compare_rax(struct plan_out to, uint32_t value)
{
	ASM_BYTES(to, 0x48, 0x3d);
	planblob_bytes(to.blob, to.is_cold, &value, sizeof(value));
}

/* lea rsp, [rsp + distance] */
static inline void asm_step(struct plan_out to, int32_t distance)
{
	if (distance == (int8_t)distance) {
		asm_stack(to, ASM_LEA, ASM_RSP, (int8_t)distance);
		return;
	}
	ASM_BYTES(to, 0x48, 0x8d, 0xa4, 0x24);
	planblob_bytes(to.blob, to.is_cold, &distance, sizeof(distance));
}

/* seto al; lahf: all flags that code may read, in ax */
static inline void asm_save_flags(struct plan_out to)
{
	ASM_BYTES(to, 0x0f, 0x90, 0xc0, 0x9f);
}

/* add al, 127; sahf: and back */
static inline void asm_restore_flags(struct plan_out to)
{
	ASM_BYTES(to, 0x04, 0x7f, 0x9e);
}

#endif
