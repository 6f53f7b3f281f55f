/* The most frequent instructions of x86-64, without full decoding: for a pass over all code of a
 * file.  Context: any. */
#ifndef KYMO_PATCHSKIP_X86_64_H
#define KYMO_PATCHSKIP_X86_64_H

#include <stdbool.h>
#include <stdint.h>

/* The operands of an instruction that falls through, without full decoding. */
struct patch_code_skip {
	int32_t numbers[2]; /* 32-bit immediates */
	uint8_t count;
	bool is_rip_relative;
	bool is_memory;	  /* a memory operand of any kind, at displacement from any base */
	bool moves_stack; /* it may be a pop, or write the stack pointer */
	int32_t displacement;
};
/* Its length; 0 = needs full decoding.  bytes has at least PATCH_CODE_BYTES. */
#define PATCH_CODE_BYTES 16u
unsigned patchcode_skip(const uint8_t *bytes, struct patch_code_skip *out);

#endif
