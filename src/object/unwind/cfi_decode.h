/* One call frame instruction at a time (DWARF 4, section 6.4.2; GNU's and AArch64's own), by what
 * it does: whoever follows a program keeps the rules that it needs.  Context: any. */
#ifndef KYMO_CFI_DECODE_H
#define KYMO_CFI_DECODE_H

#include "object/unwind/cfi_section.h"

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

enum cfi_step_kind {
	CFI_STEP_NOTHING,
	CFI_STEP_ADVANCE,	 /* what follows is true from location on */
	CFI_STEP_CFA,		 /* the CFA is register number + offset */
	CFI_STEP_CFA_REGISTER,	 /* ... another register, with the offset as it was */
	CFI_STEP_CFA_OFFSET,	 /* ... another offset from the same register */
	CFI_STEP_CFA_EXPRESSION, /* ... what rule.expression gives */
	CFI_STEP_RULE,		 /* register number is found by rule */
	CFI_STEP_RESTORE,	 /* ... as the common entry has it */
	CFI_STEP_REMEMBER,	 /* put the state on a stack ... */
	CFI_STEP_RECALL,	 /* ... and take it from there */
	CFI_STEP_SIGN,		 /* the return address is signed from here on, or no more */
};

struct cfi_step {
	enum cfi_step_kind kind;
	uint64_t number;
	uint64_t location;
	int64_t offset;
	struct cfi_rule rule;
};

/* Take one instruction from bytes; location: what was true before it.  False: it is cut off, or is
 * none that is known. */
bool cfi_decode(const struct cfi_section *section, const struct cfi_entry *entry, uint64_t location,
		struct cfi_bytes *bytes, struct cfi_step *out);

#endif
