/* Where the value in a register comes from, by the code that leads to an instruction: followed
 * backwards, over branches that lead there, to the constant, the other register or the place on
 * the stack that it was taken from, or to the beginning of the function.  Context: any. */
#ifndef KYMO_CODESOURCE_H
#define KYMO_CODESOURCE_H

#include <stdint.h>

enum codesource_kind {
	CODESOURCE_NONE,
	CODESOURCE_CONSTANT, /* value */
	CODESOURCE_REGISTER, /* number still has it */
	CODESOURCE_MEMORY,   /* the word at the register number has now, plus value */
	CODESOURCE_ARGUMENT, /* in number when the function began */
};

struct codesource {
	uint8_t kind, number;
	int32_t value;
};

/* Of the register when execution reaches at, as the processor numbers it.  What is code around
 * it must be readable from start on; is_function: a function begins there.  kept: registers that
 * what comes behind at leaves alone, a bit for each. */
struct codesource codesource_find(const uint8_t *start, const uint8_t *at, int is_function,
				  unsigned number, uint32_t kept);

#endif
