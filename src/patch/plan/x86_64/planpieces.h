/* Building blocks of the trampolines of x86-64, and where they save registers.  Context: any. */
#ifndef KYMO_PLANPIECES_X86_64_H
#define KYMO_PLANPIECES_X86_64_H

#include "patch/analyse/x86_64/patchreturn.h"
#include "patch/plan/planemit.h"
#include "patch/plan/x86_64/planarithmetic.h"
#include "patch/plan/x86_64/planasm.h"

#define JUMP_BYTES 5u

/* Below the stack pointer; the word directly below it is left for a call. */
enum { SAVED_RAX = -16, SAVED_RDX = -24, SAVED_RCX = -32, SAVED_FLAGS = -40, SAVED_TIME = -48 };

#define HOT(field)    ((uint8_t)offsetof(struct patch_thread_state, field))
#define VECTOR(field) offsetof(struct patch_vector, field)

static inline void emit_save(struct plan_out to)
{
	asm_stack(to, ASM_STORE, ASM_RDX, SAVED_RDX);
	asm_stack(to, ASM_STORE, ASM_RCX, SAVED_RCX);
}

static inline void emit_restore(struct plan_out to)
{
	asm_stack(to, ASM_LOAD, ASM_RDX, SAVED_RDX);
	asm_stack(to, ASM_LOAD, ASM_RCX, SAVED_RCX);
}

/* Save rax, and with keeps_flags the flags. */
static inline void emit_save_rax(struct plan_out to, bool keeps_flags)
{
	asm_stack(to, ASM_STORE, ASM_RAX, SAVED_RAX);
	if (!keeps_flags)
		return;
	asm_save_flags(to);
	asm_stack(to, ASM_STORE, ASM_RAX, SAVED_FLAGS);
}

static inline void emit_restore_rax(struct plan_out to, bool keeps_flags)
{
	if (keeps_flags) {
		asm_stack(to, ASM_LOAD, ASM_RAX, SAVED_FLAGS);
		asm_restore_flags(to);
	}
	asm_stack(to, ASM_LOAD, ASM_RAX, SAVED_RAX);
}

/* Out-of-order execution reads the time, and COARSE's clock, before earlier instructions of the
 * program are complete, whose time is then attributed to later ones; and it overlaps recording with
 * later instructions.  Around a record, this completes the former before the latter begin. */
static inline void emit_wait(struct plan_out to)
{
	if (to.blob->is_serialized)
		ASM_BYTES(to, 0x0f, 0xae, 0xe8); /* lfence */
}

/* FULL: rdx = the time; rax = ticks since the latest record, which becomes now. */
static inline void emit_time(struct plan_out to)
{
	/* rdtsc; shl rdx, 32; or rdx, rax */
	ASM_BYTES(to, 0x0f, 0x31, 0x48, 0xc1, 0xe2, 0x20, 0x48, 0x09, 0xc2);
	ASM_BYTES(to, 0x48, 0x89, 0xd0); /* mov rax, rdx */
	asm_thread(to, ASM_SUB, ASM_RAX, ASM_RCX, HOT(last));
	asm_thread(to, ASM_STORE, ASM_RDX, ASM_RCX, HOT(last));
}

/* Branches to be resolved to the call of the slow routine. */
struct emit_reserved {
	size_t is_late, is_full;
};

/* COARSE: reserve a record of so many bytes.  rax = its address, rcx = its slot's bits. slot:
 * offset of the return address from the stack pointer. */
static inline struct emit_reserved emit_reserve(struct plan_out to, uint8_t bytes, int8_t slot)
{
	const uint32_t mask = PATCH_SLOT_MASK << PATCH_SLOT_SHIFT;
	struct emit_reserved links;

	emit_wait(to);
	asm_stack(to, ASM_STORE, ASM_RCX, SAVED_RCX);
	asm_vector(to, ASM_LOAD, ASM_RCX, VECTOR(thread_offset));
	asm_vector(to, ASM_LOAD, ASM_RAX, VECTOR(clock));
	ASM_BYTES(to, 0x48, 0x8b, 0x00); /* mov rax, [rax] */
	asm_thread(to, ASM_CMP, ASM_RAX, ASM_RCX, HOT(last));
	asm_branch(to, ASM_NOT_EQUAL, PLAN_TO_COLD, 0);
	links.is_late = to.blob->link_count - 1;
	asm_value(to, ASM_RAX, bytes);
	ASM_BYTES(to, 0x64, 0x48, 0x0f, 0xc1, 0x41, HOT(cursor)); /* xadd fs:[rcx + cursor], rax */
	asm_thread(to, ASM_CMP, ASM_RAX, ASM_RCX, HOT(limit));
	asm_branch(to, ASM_ABOVE_EQUAL, PLAN_TO_COLD, 0);
	links.is_full = to.blob->link_count - 1;
	/* lea ecx, [rsp + slot]; and ecx, mask; shr ecx, 1 */
	ASM_BYTES(to, 0x8d, 0x4c, 0x24, (uint8_t)slot, 0x81, 0xe1, mask & 0xff, mask >> 8, 0, 0,
		  0xd1, 0xe9);
	return links;
}
_Static_assert(PATCH_SLOT_SHIFT - PATCH_MARKED_SLOT_SHIFT == 1, "as emit_reserve() has it");

/* Call a slow routine: rdx is the address of the return address, slot from the stack pointer. rule:
 * how the stack is unwound before and after. */
static inline void emit_slow_call(struct plan_out to, int8_t slot, size_t routine,
				  enum plan_rule rule)
{
	enum plan_rule stepped = rule == PLAN_RULE_CALLED ? PLAN_RULE_CALLED_SLOW : PLAN_RULE_SLOW;

	asm_stack(to, ASM_LEA, ASM_RDX, slot);
	asm_step(to, -128);
	planblob_mark(to.blob, to.is_cold, stepped, 0);
	asm_vector_call(to, routine);
	asm_step(to, 128);
	planblob_mark(to.blob, to.is_cold, rule, 0);
}

#endif
