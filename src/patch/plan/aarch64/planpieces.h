/* Building blocks of the trampolines of AArch64, and where they save registers.  Context: any.
 *
 * Data below the stack pointer is not safe, since signal handlers write there: saved registers are
 * pushed.  Flags are neither read nor written.  Return addresses are in x30. */
#ifndef KYMO_PLANPIECES_AARCH64_H
#define KYMO_PLANPIECES_AARCH64_H

#include "patch/decode/aarch64/patchcode.h"
#include "patch/plan/aarch64/planarithmetic.h"
#include "patch/plan/aarch64/planasm.h"
#include "patch/plan/planemit.h"

/* What a trampoline pushes: x16, x17, x0, x1, one free word, and the slot of x30 when a slow
 * routine is called: PATCH_RETURN_AT. */
#define ARM_FRAME_BYTES 48u
#define ARM_FRAME_X0	16u
#define ARM_FRAME_LINK	40u
/* Around a call of exit_jump: x30. */
#define ARM_JUMP_BYTES	16u

#define ARM_HOT(field)	  ((unsigned)offsetof(struct patch_thread_state, field))
#define ARM_VECTOR(field) ((unsigned)offsetof(struct patch_vector, field))

static inline void arm_mark(struct plan_out to, enum plan_rule rule, bool is_signed)
{
	planblob_mark(to.blob, to.is_cold, rule, is_signed);
}

/* reg = a word of the vector */
static inline void arm_vector(struct plan_out to, unsigned reg, unsigned offset)
{
	arm_adrp(to, reg, PLAN_TO_VECTOR, 0);
	arm_ldr(to, reg, reg, offset);
}

/* x17 = the thread's patch_thread_state, with x16 */
static inline void arm_thread(struct plan_out to)
{
	arm_vector(to, ARM_X16, ARM_VECTOR(thread_offset));
	arm_thread_pointer(to, ARM_X17);
	arm_add(to, ARM_X17, ARM_X17, ARM_X16);
}

/* Around a record: earlier work completes, and later work does not begin.  As emit_wait() of
 * x86-64. */
static inline void arm_wait(struct plan_out to)
{
	if (to.blob->is_serialized)
		arm_isb(to);
}

/* x0 = the time, x1 = ticks since the latest record, which becomes now.  x17: the thread's
 * state. */
static inline void arm_time(struct plan_out to)
{
	arm_wait(to);
	if (to.blob->cost == PATCH_COST_FULL) {
		arm_counter(to, ARM_X0);
	} else {
		arm_vector(to, ARM_X0, ARM_VECTOR(clock));
		arm_ldr(to, ARM_X0, ARM_X0, 0);
	}
	arm_ldr(to, ARM_X1, ARM_X17, ARM_HOT(last));
	arm_str(to, ARM_X0, ARM_X17, ARM_HOT(last));
	arm_sub(to, ARM_X1, ARM_X0, ARM_X1);
}

/* x0 is after the record: store it as the cursor; if another record does not fit branch to full
 * (returned, unresolved). */
static inline size_t arm_commit(struct plan_out to)
{
	size_t full;

	arm_str(to, ARM_X0, ARM_X17, ARM_HOT(cursor));
	/* limit <= cursor: the difference less one is negative */
	arm_ldr(to, ARM_X1, ARM_X17, ARM_HOT(limit));
	arm_sub(to, ARM_X1, ARM_X1, ARM_X0);
	arm_word(to, 0xd1000421); /* sub x1, x1, #1 */
	arm_word(to, 0xd37ffc21); /* lsr x1, x1, #63 */
	full = arm_cbnz(to, ARM_X1, PLAN_TO_HOT, 0);
	arm_str(to, ARM_ZERO, ARM_X17, ARM_HOT(state));
	arm_wait(to);
	return full;
}

#endif
