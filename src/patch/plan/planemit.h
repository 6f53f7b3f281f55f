/* Trampolines: the code at a function's entry and at its exits, for the processor. One thread.
 * docs/patch.md shows the code. */
#ifndef KYMO_PLANEMIT_H
#define KYMO_PLANEMIT_H

#include "patch/analyse/file/patchmodule.h"
#include "patch/plan/planblob.h"

/* The bytes at an address become a jump into the hot stretch. */
struct plan_jump {
	uint64_t at;
	uint64_t cave; /* not 0: a short jump to this address, and the jump there */
	uint32_t hot;  /* offset in the hot stretch */
};

struct plan_function_code {
	struct plan_jump *jumps; /* the entry, then exits: space for exit_count + 1 */
	uint32_t jump_count;
	uint32_t body;	   /* offset in the hot stretch: the displaced instructions, followed by the
			    * rest */
	uint8_t nop_bytes; /* replacement of a call of mcount; 0 = none */
	uint8_t nop[PLAN_PATCH_MAX];
};

struct plan_job { /* one function */
	struct plan_out hot, cold;
	struct patch_module *module;
	const struct patch_function *function;
	uint32_t index;
	enum plan_way way;
	struct plan_function_code *code;
	size_t body;	/* offset of the displaced instructions */
	bool is_signed; /* AArch64: the return address is signed at the entry */
};

/* Emit the trampolines of a function at the end of the blob.  False: not possible; is_entry_out
 * says whether the entry or the exits failed. */
bool planemit_function(struct plan_job *job, bool *is_entry_out);

#endif
