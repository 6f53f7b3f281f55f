/* Does a function use its return address?  Checked for each instruction of the sweep, with that
 * address's location from the unwind tables.  One thread per object. */
#ifndef KYMO_RETURN_USE_H
#define KYMO_RETURN_USE_H

#include "patch/analyse/patchdecision.h"
#include "patch/decode/x86_64/patchcode.h"
#include "patch/decode/x86_64/patchskip.h"

struct return_use_row {
	uint64_t end; /* valid from the end of the previous row to here */
	struct cfi_row row;
	int64_t slot;  /* is_plain: offset of the return address from rsp or rbp */
	bool is_plain; /* reachable only by that */
};

struct return_use { /* of one function after the other */
	const struct patch_function *function;
	struct return_use_row *rows; /* the owner frees */
	size_t count, capacity, at;
	uint64_t until;	 /* end of the row that return_use_skip() used last; 0 = none yet */
	uint64_t behind; /* end of the rows read so far */
	bool is_plain;	 /* all rows are plain */
	bool is_found;
};

void return_use_begin(struct return_use *use, const struct patch_module *module,
		      const struct patch_function *function);
/* An instruction, in ascending order of addresses: decoded, or to be decoded here. */
void return_use_see(struct return_use *use, uint64_t address, const struct patch_code *code);
void return_use_closer(struct return_use *use, uint64_t address, const unsigned char *bytes,
		       uint64_t left);

static inline const struct return_use_row *return_use_row(struct return_use *use, uint64_t address)
{
	while (use->at < use->count && address >= use->rows[use->at].end)
		use->at++;
	return use->at < use->count ? &use->rows[use->at] : NULL;
}

/* An instruction that patchcode_skip() passed. */
static inline void return_use_skip(struct return_use *use, uint64_t address,
				   const struct patch_code_skip *code, const unsigned char *bytes,
				   uint64_t left)
{
	const struct return_use_row *row;

	if ((use->is_plain && !code->is_memory && !code->moves_stack) || use->is_found)
		return;
	if (address >= use->until) {
		row = return_use_row(use, address);
		if (!row)
			return;
		use->until = row->end;
	}
	row = &use->rows[use->at];
	if (!row->is_plain || code->moves_stack ||
	    (code->is_memory && code->displacement - row->slot > -8 &&
	     code->displacement - row->slot < 8))
		return_use_closer(use, address, bytes, left);
}

/* The function uses its return address, by its name: setjmp and others. */
bool return_use_is_special(const char *name);
/* True when neither the function nor what it jumps to ever uses its return address. */
bool return_use_is_none(struct patch_decision *decision, uint32_t function);

#endif
