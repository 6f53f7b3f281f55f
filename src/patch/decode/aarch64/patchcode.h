/* The few instructions of AArch64 that the analysis has to distinguish: branches, and those with a
 * PC-relative address.  All have 4 bytes. Context: any.  Arm Architecture Reference Manual,
 * C4.1. */
#ifndef KYMO_PATCHCODE_AARCH64_H
#define KYMO_PATCHCODE_AARCH64_H

#include <stdbool.h>
#include <stdint.h>

#define ARM_BYTES 4u

enum arm_kind {
	ARM_PLAIN,	 /* continues with the next instruction, position-independent */
	ARM_UNKNOWN,	 /* no instruction */
	ARM_RETURN,	 /* ret, retaa, retab */
	ARM_JUMP,	 /* b */
	ARM_CALL,	 /* bl */
	ARM_CONDITIONAL, /* b.cond, cbz, cbnz, tbz, tbnz */
	ARM_JUMP_BY,	 /* br and its variants */
	ARM_CALL_BY,	 /* blr and its variants */
	ARM_ADDRESS,	 /* adr */
	ARM_PAGE,	 /* adrp: target is a page's address */
	ARM_LOAD,	 /* ldr, ldrsw, prfm with a PC-relative address */
	ARM_LANDING,	 /* bti, paciasp, pacibsp: permitted targets of indirect branches */
	ARM_STOP,	 /* brk, udf, hlt: nothing follows */
	ARM_UNSUPPORTED, /* eret and other unsupported instructions */
};

struct arm_code {
	uint32_t word;
	uint8_t kind;	/* enum arm_kind */
	uint8_t by;	/* the register: of RETURN, JUMP_BY, CALL_BY; or that is set: ADDRESS … */
	bool is_signed; /* the signature of the return address, or of the address in by, is
			 * checked */
	uint64_t target;
};

/* The instruction word, at address. */
void armcode_decode(uint32_t word, uint64_t address, struct arm_code *out);

#define ARM_NOP 0xd503201fu

/* paciasp, pacibsp: the return address is signed from here on. */
static inline bool armcode_signs(uint32_t word)
{
	return word == 0xd503233fu || word == 0xd503237fu;
}

#endif
