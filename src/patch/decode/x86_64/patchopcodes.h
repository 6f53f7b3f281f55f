/* What follows the opcodes of x86-64, for those who decode: x86_64/patchcode.c all of an
 * instruction, x86_64/patchskip.c the most frequent ones.  Context: any. */
#ifndef KYMO_PATCHOPCODES_X86_64_H
#define KYMO_PATCHOPCODES_X86_64_H

#include <stdint.h>

/* What follows an opcode; letters, so that tables have lines of sixteen. */
enum patch_opcode {
	M = 1,	 /* ModRM */
	B = 2,	 /* 8-bit immediate */
	Z = 4,	 /* 32-bit immediate, or 16 with 66 */
	W = 8,	 /* 16-bit immediate */
	D = 16,	 /* 32 bits whatever the prefix: branches */
	S = 32,	 /* looked at by itself */
	X = 64,	 /* none in 64-bit mode */
	P = 128, /* a prefix */
};

/* By opcode; and: by the one behind 0f. */
extern const uint8_t patchopcodes_one[256], patchopcodes_two[256];

#endif
