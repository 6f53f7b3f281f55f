/* The few instructions that trampolines consist of, as bytes.  The comment of a function is what it
 * emits, in assembler syntax; tests/unit/patch/plan/test_planemit.c compares them with the
 * assembler's output.  Context: any. */
#ifndef KYMO_PLANASM_X86_64_H
#define KYMO_PLANASM_X86_64_H

#include "patch/plan/planblob.h"

enum asm_register { ASM_RAX, ASM_RCX, ASM_RDX, ASM_RBX, ASM_RSP };

enum asm_condition { /* second byte of jcc with a distance of 4 bytes */
		     ASM_BELOW = 0x82,
		     ASM_ABOVE_EQUAL = 0x83,
		     ASM_EQUAL = 0x84,
		     ASM_NOT_EQUAL = 0x85,
};

/* The opcode of operations between a register and memory. */
enum asm_operation {
	ASM_ADD = 0x03,
	ASM_SUB = 0x2b,
	ASM_CMP = 0x3b,
	ASM_STORE = 0x89,
	ASM_LOAD = 0x8b,
	ASM_LEA = 0x8d
};

#define ASM_BYTES(to, ...)                                                                         \
	planblob_bytes((to).blob, (to).is_cold, (const uint8_t[]){__VA_ARGS__},                    \
		       sizeof((const uint8_t[]){__VA_ARGS__}))

static inline size_t asm_here(struct plan_out to)
{
	return to.is_cold ? to.blob->cold.size : to.blob->hot.size;
}

/* op reg, [rsp + offset]; with ASM_STORE op [rsp + offset], reg */
static inline void asm_stack(struct plan_out to, enum asm_operation op, enum asm_register reg,
			     int8_t offset)
{
	ASM_BYTES(to, 0x48, (uint8_t)op, (uint8_t)(0x44 | reg << 3), 0x24, (uint8_t)offset);
}

/* op reg, fs:[base + offset]; with ASM_STORE op fs:[base + offset], reg */
static inline void asm_thread(struct plan_out to, enum asm_operation op, enum asm_register reg,
			      enum asm_register base, uint8_t offset)
{
	ASM_BYTES(to, 0x64, 0x48, (uint8_t)op, (uint8_t)(0x40 | reg << 3 | base), offset);
}

/* cmp qword ptr fs:[rcx + offset], value */
static inline void asm_thread_compare(struct plan_out to, uint8_t offset, uint8_t value)
{
	ASM_BYTES(to, 0x64, 0x48, 0x83, 0x79, offset, value);
}

/* mov qword ptr fs:[rcx + offset], value */
static inline void asm_thread_set(struct plan_out to, uint8_t offset, uint8_t value)
{
	ASM_BYTES(to, 0x64, 0x48, 0xc7, 0x41, offset, value, 0, 0, 0);
}

/* op reg, [rip + vector.field] */
static inline void asm_vector(struct plan_out to, enum asm_operation op, enum asm_register reg,
			      size_t field)
{
	ASM_BYTES(to, 0x48, (uint8_t)op, (uint8_t)(0x05 | reg << 3));
	planblob_link(to.blob, to.is_cold, PLAN_TO_VECTOR, field, 4);
}

/* call [rip + vector.field] */
static inline void asm_vector_call(struct plan_out to, size_t field)
{
	ASM_BYTES(to, 0xff, 0x15);
	planblob_link(to.blob, to.is_cold, PLAN_TO_VECTOR, field, 4);
}

/* cmp qword ptr [rip + vector.field], 0 */
static inline void asm_vector_compare(struct plan_out to, size_t field)
{
	ASM_BYTES(to, 0x48, 0x83, 0x3d);
	planblob_link(to.blob, to.is_cold, PLAN_TO_VECTOR, field, 5);
	ASM_BYTES(to, 0);
}

/* cmp byte ptr [rip + switch.is_off], 0 */
static inline void asm_switch_compare(struct plan_out to)
{
	ASM_BYTES(to, 0x80, 0x3d);
	planblob_link(to.blob, to.is_cold, PLAN_TO_SWITCH, 0, 5);
	ASM_BYTES(to, 0);
}

/* jmp target */
static inline void asm_jump(struct plan_out to, enum plan_to where, uint64_t target)
{
	ASM_BYTES(to, 0xe9);
	planblob_link(to.blob, to.is_cold, where, target, 4);
}

/* call target */
static inline void asm_call(struct plan_out to, enum plan_to where, uint64_t target)
{
	ASM_BYTES(to, 0xe8);
	planblob_link(to.blob, to.is_cold, where, target, 4);
}

/* jcc target */
static inline void asm_branch(struct plan_out to, uint8_t condition, enum plan_to where,
			      uint64_t target)
{
	ASM_BYTES(to, 0x0f, condition);
	planblob_link(to.blob, to.is_cold, where, target, 4);
}

/* The same to a target that is not known yet: returns the link's index, for asm_land(). */
static inline size_t asm_branch_ahead(struct plan_out to, uint8_t condition)
{
	asm_branch(to, condition, to.is_cold ? PLAN_TO_COLD : PLAN_TO_HOT, 0);
	return to.blob->link_count - 1;
}

/* Resolve a branch to here. */
static inline void asm_land(struct plan_out to, size_t link)
{
	if (!to.blob->is_failed)
		to.blob->links[link].target = asm_here(to);
}

#endif
