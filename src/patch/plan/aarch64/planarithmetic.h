/* Arithmetic instructions of AArch64: planasm.h. */
#ifndef KYMO_PLANARITHMETICAARCH64_H
#define KYMO_PLANARITHMETICAARCH64_H

#include "patch/plan/aarch64/planasm.h"

static inline void arm_add(struct plan_out to, unsigned result, unsigned left, unsigned right)
{
	arm_word(to, 0x8b000000 | right << 16 | left << 5 | result);
}

/* left + (right << shift) */
static inline void arm_add_shifted(struct plan_out to, unsigned result, unsigned left,
				   unsigned right, unsigned shift)
{
	arm_word(to, 0x8b000000 | right << 16 | shift << 10 | left << 5 | result);
}

static inline void arm_sub(struct plan_out to, unsigned result, unsigned left, unsigned right)
{
	arm_word(to, 0xcb000000 | right << 16 | left << 5 | result);
}

/* Register 31 is the stack pointer here. */
static inline void arm_add_number(struct plan_out to, unsigned result, unsigned left,
				  unsigned number)
{
	arm_word(to, 0x91000000 | number << 10 | left << 5 | result);
}

/* 32 bits */
static inline void arm_sub32_number(struct plan_out to, unsigned result, unsigned left,
				    unsigned number)
{
	arm_word(to, 0x51000000 | number << 10 | left << 5 | result);
}

static inline void arm_add32_number(struct plan_out to, unsigned result, unsigned left,
				    unsigned number)
{
	arm_word(to, 0x11000000 | number << 10 | left << 5 | result);
}

static inline void arm_shift_right(struct plan_out to, unsigned result, unsigned left,
				   unsigned shift)
{
	arm_word(to, 0xd340fc00 | shift << 16 | left << 5 | result);
}

static inline void arm_shift_left(struct plan_out to, unsigned result, unsigned left,
				  unsigned shift)
{
	arm_word(to,
		 0xd3400000 | (64 - shift) % 64 << 16 | (63 - shift) << 10 | left << 5 | result);
}

/* result = count bits of left from bit first on */
static inline void arm_bits(struct plan_out to, unsigned result, unsigned left, unsigned first,
			    unsigned count)
{
	arm_word(to, 0xd3400000 | first << 16 | (first + count - 1) << 10 | left << 5 | result);
}

/* Insert the lowest count bits of left into result at bit first. */
static inline void arm_insert(struct plan_out to, unsigned result, unsigned left, unsigned first,
			      unsigned count)
{
	arm_word(to, 0xb3400000 | (64 - first) % 64 << 16 | (count - 1) << 10 | left << 5 | result);
}

static inline void arm_move(struct plan_out to, unsigned result, unsigned from)
{
	arm_word(to, 0xaa0003e0 | from << 16 | result);
}

/* A 32-bit immediate. */
static inline void arm_value(struct plan_out to, unsigned reg, uint32_t value)
{
	arm_word(to, 0x52800000 | (value & 0xffff) << 5 | reg);
	if (value >> 16)
		arm_word(to, 0x72a00000 | value >> 16 << 5 | reg);
}

static inline void arm_thread_pointer(struct plan_out to, unsigned reg)
{
	arm_word(to, 0xd53bd040 | reg); /* mrs reg, tpidr_el0 */
}

static inline void arm_counter(struct plan_out to, unsigned reg)
{
	arm_word(to, 0xd53be040 | reg); /* mrs reg, cntvct_el0 */
}

#endif
