/* Emitting instructions of AArch64 into a plan's code: one function per instruction, named after
 * the mnemonic.  Context: any. */
#ifndef KYMO_PLANASM_AARCH64_H
#define KYMO_PLANASM_AARCH64_H

#include "patch/plan/planblob.h"

enum {
	ARM_X0 = 0,
	ARM_X1 = 1,
	ARM_X16 = 16,
	ARM_X17 = 17,
	ARM_LINK = 30,
	ARM_SP = 31,
	ARM_ZERO = 31
};

static inline uint32_t arm_here(struct plan_out to)
{
	return (uint32_t)(to.is_cold ? to.blob->cold.size : to.blob->hot.size);
}

static inline void arm_word(struct plan_out to, uint32_t word)
{
	planblob_bytes(to.blob, to.is_cold, &word, sizeof(word));
}

/* An instruction with a target: its distance is filled in later. */
static inline size_t arm_link(struct plan_out to, uint32_t word, enum plan_form form,
			      enum plan_to where, uint64_t target)
{
	planblob_link_form(to.blob, to.is_cold, where, target, form, word);
	return to.blob->link_count - 1;
}

static inline size_t arm_b(struct plan_out to, enum plan_to where, uint64_t target)
{
	return arm_link(to, 0x14000000, PLAN_FORM_JUMP, where, target);
}

static inline size_t arm_bl(struct plan_out to, enum plan_to where, uint64_t target)
{
	return arm_link(to, 0x94000000, PLAN_FORM_JUMP, where, target);
}

static inline size_t arm_cbz(struct plan_out to, unsigned reg, enum plan_to where, uint64_t target)
{
	return arm_link(to, 0xb4000000 | reg, PLAN_FORM_NEAR, where, target);
}

static inline size_t arm_cbnz(struct plan_out to, unsigned reg, enum plan_to where, uint64_t target)
{
	return arm_link(to, 0xb5000000 | reg, PLAN_FORM_NEAR, where, target);
}

/* The page of an address; its offset in the page is added, or part of a load. */
static inline void arm_adrp(struct plan_out to, unsigned reg, enum plan_to where, uint64_t target)
{
	arm_link(to, 0x90000000 | reg, PLAN_FORM_PAGE, where, target);
}

/* reg = reg + target's offset in its page */
static inline void arm_add_low(struct plan_out to, unsigned reg, enum plan_to where,
			       uint64_t target)
{
	arm_link(to, 0x91000000 | reg << 5 | reg, PLAN_FORM_LOW, where, target);
}

/* Resolve an earlier forward branch to here, within its stretch. */
static inline void arm_land(struct plan_out to, size_t link)
{
	if (to.blob->is_failed)
		return;
	to.blob->links[link].to = to.is_cold ? PLAN_TO_COLD : PLAN_TO_HOT;
	to.blob->links[link].target = arm_here(to);
}

/* Memory: offsets in bytes. */

static inline void arm_ldr(struct plan_out to, unsigned reg, unsigned base, unsigned offset)
{
	arm_word(to, 0xf9400000 | offset / 8 << 10 | base << 5 | reg);
}

static inline void arm_str(struct plan_out to, unsigned reg, unsigned base, unsigned offset)
{
	arm_word(to, 0xf9000000 | offset / 8 << 10 | base << 5 | reg);
}

static inline void arm_str32(struct plan_out to, unsigned reg, unsigned base, unsigned offset)
{
	arm_word(to, 0xb9000000 | offset / 4 << 10 | base << 5 | reg);
}

/* offset: any from 0 to 255 */
static inline void arm_stur(struct plan_out to, unsigned reg, unsigned base, unsigned offset)
{
	arm_word(to, 0xf8000000 | offset << 12 | base << 5 | reg);
}

static inline void arm_ldrb(struct plan_out to, unsigned reg, unsigned base, unsigned offset)
{
	arm_word(to, 0x39400000 | offset << 10 | base << 5 | reg);
}

/* [sp + offset] */
static inline void arm_stp(struct plan_out to, unsigned first, unsigned second, unsigned offset)
{
	arm_word(to, 0xa9000000 | offset / 8 << 15 | second << 10 | ARM_SP << 5 | first);
}

static inline void arm_ldp(struct plan_out to, unsigned first, unsigned second, unsigned offset)
{
	arm_word(to, 0xa9400000 | offset / 8 << 15 | second << 10 | ARM_SP << 5 | first);
}

/* stp first, second, [sp, -size]! and ldp first, second, [sp], size */
static inline void arm_push(struct plan_out to, unsigned first, unsigned second, unsigned size)
{
	arm_word(to, 0xa9800000 | (128 - size / 8) << 15 | second << 10 | ARM_SP << 5 | first);
}

static inline void arm_pop(struct plan_out to, unsigned first, unsigned second, unsigned size)
{
	arm_word(to, 0xa8c00000 | size / 8 << 15 | second << 10 | ARM_SP << 5 | first);
}

static inline void arm_isb(struct plan_out to)
{
	arm_word(to, 0xd5033fdf); /* isb */
}

static inline void arm_ret(struct plan_out to)
{
	arm_word(to, 0xd65f03c0);
}

static inline void arm_br(struct plan_out to, unsigned reg)
{
	arm_word(to, 0xd61f0000 | reg << 5);
}

static inline void arm_blr(struct plan_out to, unsigned reg)
{
	arm_word(to, 0xd63f0000 | reg << 5);
}

#endif
