/* Where the value in a register comes from: traced backwards from an instruction, also over
 * branches that lead to it, to the constant, the other register or the stack slot that it was
 * loaded from, or to the beginning of the function.  Context: any. */
#ifndef KYMO_CODESOURCE_H
#define KYMO_CODESOURCE_H

#include <stdint.h>

enum codesource_kind {
	CODESOURCE_NONE,
	CODESOURCE_CONSTANT, /* value */
	CODESOURCE_REGISTER, /* register number still has it */
	CODESOURCE_MEMORY,   /* the word at the current value of register number, plus value */
	CODESOURCE_ARGUMENT, /* in register number when the function began */
};

struct codesource {
	uint8_t kind, number;
	int32_t value;
};

/* Trace the register, as the processor numbers it, at the time when execution reaches at.  The code
 * must be readable from start on; is_function: a function begins there.  kept: registers that the
 * code after at does not change, a bit for each. */
struct codesource codesource_find(const uint8_t *start, const uint8_t *at, int is_function,
				  unsigned number, uint32_t kept);

#endif
