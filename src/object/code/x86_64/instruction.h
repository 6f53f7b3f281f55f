/* Decodes one instruction of x86-64, as far as tracking the stack pointer requires: its length, its
 * operands in general registers and memory.  Context: any. */
#ifndef KYMO_INSTRUCTION_X86_64_H
#define KYMO_INSTRUCTION_X86_64_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INSTRUCTION_NO_BASE 16u /* no register, or relative to the instruction */

struct instruction {
	uint8_t length;
	uint8_t map; /* 1 = one byte, 2 = 0F, 3 = 0F 38, 4 = 0F 3A */
	uint8_t opcode;
	bool is_vector; /* VEX or EVEX: map has the same meaning */
	bool is_wide;	/* 64-bit operands */
	bool has_modrm;
	uint8_t mod, reg, rm; /* reg and rm with REX; rm only where mod is 3 */
	uint8_t base, index;  /* of a memory operand */
	uint8_t other;	      /* the third register of VEX and EVEX */
	int32_t displacement;
	int64_t immediate;
};

/* False: not an instruction that programs use, or longer than size. */
bool instruction_decode(const uint8_t *code, size_t size, struct instruction *out);

#endif
