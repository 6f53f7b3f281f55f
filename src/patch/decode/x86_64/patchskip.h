/* The most frequent instructions of x86-64, without all that decoding says: for a pass over all
 * code of a file.  Context: any. */
#ifndef KYMO_PATCHSKIP_X86_64_H
#define KYMO_PATCHSKIP_X86_64_H

#include <stdbool.h>
#include <stdint.h>

/* What an instruction that goes on behind it has in it, without all that decoding says. */
struct patch_code_skip {
	int32_t numbers[2]; /* of 32 bits */
	uint8_t count;
	bool is_rip_relative;
	bool is_memory;	  /* of any kind, at displacement from whatever it is */
	bool moves_stack; /* it may be a pop, or put something into the stack pointer */
	int32_t displacement;
};
/* Its length; 0 = look closer.  There are PATCH_CODE_ROOM bytes. */
#define PATCH_CODE_ROOM 16u
unsigned patchcode_skip(const uint8_t *bytes, struct patch_code_skip *out);

#endif
