/* Relocating an instruction: what it is, and its equivalent at another address.
 * Context: any; uses Zydis, which allocates nothing. */
#ifndef KYMO_PLANMOVE_X86_64_H
#define KYMO_PLANMOVE_X86_64_H

#include "patch/plan/x86_64/planasm.h"

enum move_kind {
	MOVE_PLAIN,	  /* continues with the next instruction */
	MOVE_CALL,	  /* to target, or through a register or memory */
	MOVE_JUMP,	  /* to target */
	MOVE_CONDITIONAL, /* to target, condition as in enum asm_condition */
	MOVE_COUNTED,	  /* to target: loop, jrcxz */
	MOVE_INDIRECT,	  /* jmp through a register or memory */
	MOVE_RETURN,
};

struct move {
	const uint8_t *bytes;
	uint64_t address;
	uint64_t target; /* of the jump or call; with has_data of the operand */
	uint8_t length;
	uint8_t kind; /* enum move_kind */
	uint8_t condition;
	uint8_t data_at; /* offset in it of its operand's displacement */
	bool has_target;
	bool has_data;	  /* a rip-relative memory operand */
	bool reads_below; /* an operand below the stack pointer */
};

/* False: it does not decode, or cannot be relocated. */
bool move_decode(const uint8_t *bytes, size_t size, uint64_t address, struct move *out);

/* Emit the equivalent instruction here. */
void move_emit(struct plan_out to, const struct move *move);

#endif
