/* The program of a frame description, executed up to one address, and its result: between cfi.c,
 * which finds the program, and the processor-specific part (cfi_<processor>.c).  Context: any. */
#ifndef KYMO_CFI_PROGRAM_H
#define KYMO_CFI_PROGRAM_H

#include "object/unwind/cfi.h"
#include "object/unwind/cfi_decode.h"

/* Only what a row can express is tracked. */
enum cfi_register { CFI_FRAME, CFI_STACK, CFI_RETURN, CFI_REQUESTED, CFI_REGISTERS };

#define CFI_NONE_REQUESTED UINT64_MAX

struct cfi_state {
	bool has_expression; /* the CFA is an expression, else register + offset */
	uint64_t cfa_register;
	int64_t cfa_offset;
	struct cfi_bytes cfa_expression;
	struct cfi_rule rules[CFI_REGISTERS];
};

/* The frame description that covers pc.  False: there is none, or it is malformed. */
bool cfi_find_entry(const struct cfi_section *section, uint64_t pc, struct cfi_entry *out);

/* The state at pc; false: the program is malformed or not supported.  asked is the DWARF number of
 * one more register to track. */
bool cfi_run(const struct cfi_section *section, const struct cfi_entry *entry, uint64_t pc,
	     uint64_t requested, struct cfi_state *state_out);

/* Pass each state of the entry to the callback, in order; otherwise the same. */
typedef void (*cfi_state_fn)(void *context, uint64_t start, uint64_t end,
			     const struct cfi_state *state);
bool cfi_run_all(const struct cfi_section *section, const struct cfi_entry *entry,
		 cfi_state_fn each, void *context);

/* Which of the tracked registers a DWARF number is; CFI_REGISTERS = none of them. */
enum cfi_register cfi_register_of(uint64_t number);
/* The state as a row; cfa is CFI_CFA_NONE if a row cannot express it. */
void cfi_reduce(const struct cfi_state *state, struct cfi_row *row_out);

#endif
