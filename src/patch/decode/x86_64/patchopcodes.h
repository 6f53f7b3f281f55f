/* What follows the opcodes of x86-64: x86_64/patchcode.c decodes all of an instruction with it,
 * x86_64/patchskip.c the most frequent ones.  Context: any. */
#ifndef KYMO_PATCHOPCODES_X86_64_H
#define KYMO_PATCHOPCODES_X86_64_H

#include <stdint.h>

/* What follows an opcode; single letters, so that tables have sixteen per line. */
enum patch_opcode {
	M = 1,	 /* ModRM */
	B = 2,	 /* 8-bit immediate */
	Z = 4,	 /* 32-bit immediate, or 16 with 66 */
	W = 8,	 /* 16-bit immediate */
	D = 16,	 /* always 32 bits: branches */
	S = 32,	 /* handled individually */
	X = 64,	 /* none in 64-bit mode */
	P = 128, /* a prefix */
};

/* By opcode; by the second opcode byte after 0f. */
extern const uint8_t patchopcodes_one[256], patchopcodes_two[256];

#endif
