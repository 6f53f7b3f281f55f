/* Does a function use its return address?  Checked for each instruction of the sweep, with the
 * location of that address from the unwind tables.  One thread each. */
#ifndef KYMO_RETURN_USE_H
#define KYMO_RETURN_USE_H

#include "patch/analyse/patchdecision.h"
#include "patch/decode/x86_64/patchcode.h"
#include "patch/decode/x86_64/patchskip.h"

struct return_use_row {
	uint64_t end; /* true from the end of the row before to here */
	struct cfi_row row;
	int64_t slot;  /* is_plain: where the return address lies, from rsp or rbp */
	bool is_plain; /* reached by nothing but that */
};

struct return_use { /* of one function after the other */
	const struct patch_function *function;
	struct return_use_row *rows; /* the owner frees */
	size_t count, capacity, at;
	uint64_t until; /* where the row ends that return_use_skip() looked at last; 0 = none yet */
	uint64_t behind; /* what the rows describe so far */
	bool is_plain;	 /* all rows are */
	bool is_found;
};

void return_use_begin(struct return_use *look, const struct patch_module *module,
		      const struct patch_function *function);
/* An instruction, in the order of addresses: as decoded, or to be decoded. */
void return_use_see(struct return_use *look, uint64_t address, const struct patch_code *code);
void return_use_closer(struct return_use *look, uint64_t address, const unsigned char *bytes,
		       uint64_t left);

static inline const struct return_use_row *return_use_row(struct return_use *look, uint64_t address)
{
	while (look->at < look->count && address >= look->rows[look->at].end)
		look->at++;
	return look->at < look->count ? &look->rows[look->at] : NULL;
}

/* An instruction that patchcode_skip() passed. */
static inline void return_use_skip(struct return_use *look, uint64_t address,
				   const struct patch_code_skip *code, const unsigned char *bytes,
				   uint64_t left)
{
	const struct return_use_row *row;

	if ((look->is_plain && !code->is_memory && !code->moves_stack) || look->is_found)
		return;
	if (address >= look->until) {
		row = return_use_row(look, address);
		if (!row)
			return;
		look->until = row->end;
	}
	row = &look->rows[look->at];
	if (!row->is_plain || code->moves_stack ||
	    (code->is_memory && code->displacement - row->slot > -8 &&
	     code->displacement - row->slot < 8))
		return_use_closer(look, address, bytes, left);
}

/* The function looks at its caller by its nature, as its name says. */
bool return_use_is_special(const char *name);
/* True when the function never looks at its return address, nor does what it jumps to. */
bool return_use_is_none(struct patch_decision *decision, uint32_t function);

#endif
