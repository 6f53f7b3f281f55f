/* The program of a frame description, run up to one address, and what it comes to: between
 * cfi.c, which finds the program, and what is the processor's (cfi_<processor>.c).
 * Context: any. */
#ifndef KYMO_CFI_PROGRAM_H
#define KYMO_CFI_PROGRAM_H

#include "object/unwind/cfi.h"
#include "object/unwind/cfi_bytes.h"

/* Only what a row can say is followed. */
enum cfi_register { CFI_FRAME, CFI_STACK, CFI_RETURN, CFI_ASKED, CFI_REGISTERS };

#define CFI_NONE_ASKED UINT64_MAX

enum cfi_rule_kind {
	CFI_RULE_UNSPECIFIED, /* as the ABI has it: the frame pointer is kept, the stack pointer is
				 the CFA */
	CFI_RULE_SAME_VALUE,
	CFI_RULE_UNDEFINED,
	CFI_RULE_OFFSET,	 /* at CFA + value */
	CFI_RULE_VAL_OFFSET,	 /* is CFA + value */
	CFI_RULE_REGISTER,	 /* in register number value */
	CFI_RULE_EXPRESSION,	 /* at the address that the expression gives */
	CFI_RULE_VAL_EXPRESSION, /* is what the expression gives */
};

struct cfi_rule {
	enum cfi_rule_kind kind;
	int64_t value;
	struct cfi_bytes expression;
};

struct cfi_state {
	bool has_expression; /* the CFA is one, else register + offset */
	uint64_t cfa_register;
	int64_t cfa_offset;
	struct cfi_bytes cfa_expression;
	struct cfi_rule rules[CFI_REGISTERS];
};

/* A frame description entry together with what matters of its common entry. */
struct cfi_entry {
	uint64_t start, end; /* addresses covered */
	uint64_t code_alignment;
	int64_t data_alignment;
	uint64_t return_register;
	uint64_t handlers;	   /* address of its table for exceptions; 0 = none */
	uint8_t encoding;	   /* of addresses */
	uint8_t handlers_encoding; /* 0xff = there are none */
	bool is_signal;
	struct cfi_bytes initial; /* instructions of the common entry */
	struct cfi_bytes program; /* of this one */
};

/* The encoded pointer at bytes; those that cannot be known here make the reader bad. */
uint64_t cfi_pointer(const struct cfi_section *section, struct cfi_bytes *bytes, uint8_t encoding);

/* The frame description that covers pc.  False: none does, or it makes no sense. */
bool cfi_find_entry(const struct cfi_section *section, uint64_t pc, struct cfi_entry *out);

/* The state at pc; false: the program is malformed, or says what is not understood.  asked is
 * the DWARF number of one more register to be followed. */
bool cfi_run(const struct cfi_section *section, const struct cfi_entry *entry, uint64_t pc,
	     uint64_t asked, struct cfi_state *state_out);

/* Tell each state of the entry in turn; the same otherwise. */
typedef void (*cfi_state_fn)(void *context, uint64_t start, uint64_t end,
			     const struct cfi_state *state);
bool cfi_run_all(const struct cfi_section *section, const struct cfi_entry *entry,
		 cfi_state_fn each, void *context);

/* ---- the processor's ------------------------------------------------------------------- */

/* Which of the followed registers a DWARF number is; CFI_REGISTERS = none of them. */
enum cfi_register cfi_register_of(uint64_t number);
/* The state as a row; cfa is CFI_CFA_NONE where a row cannot say it. */
void cfi_reduce(const struct cfi_state *state, struct cfi_row *row_out);

#endif
