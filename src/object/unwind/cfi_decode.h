/* Decoding one call frame instruction (DWARF 4, section 6.4.2; GNU's and AArch64's extensions) into
 * its effect; the caller keeps the rules that it needs.  Context: any. */
#ifndef KYMO_CFI_DECODE_H
#define KYMO_CFI_DECODE_H

#include "object/unwind/cfi_section.h"

enum cfi_rule_kind {
	CFI_RULE_UNSPECIFIED, /* by the ABI: the frame pointer is preserved, the stack pointer is
			       * the CFA */
	CFI_RULE_SAME_VALUE,
	CFI_RULE_UNDEFINED,
	CFI_RULE_OFFSET,	 /* at CFA + value */
	CFI_RULE_VAL_OFFSET,	 /* is CFA + value */
	CFI_RULE_REGISTER,	 /* in register number value */
	CFI_RULE_EXPRESSION,	 /* at the result of the expression */
	CFI_RULE_VAL_EXPRESSION, /* is the result of the expression */
};

struct cfi_rule {
	enum cfi_rule_kind kind;
	int64_t value;
	struct cfi_bytes expression;
};

/* An FDE with the relevant contents of its CIE. */
struct cfi_entry {
	uint64_t start, end; /* addresses covered */
	uint64_t code_alignment;
	int64_t data_alignment;
	uint64_t return_register;
	uint64_t handlers;	   /* address of its LSDA; 0 = none */
	uint8_t encoding;	   /* of addresses */
	uint8_t handlers_encoding; /* 0xff = there are none */
	bool is_signal;
	struct cfi_bytes initial; /* instructions of the CIE */
	struct cfi_bytes program; /* of this one */
};

enum cfi_step_kind {
	CFI_STEP_NOTHING,
	CFI_STEP_ADVANCE,	 /* following rules apply from location on */
	CFI_STEP_CFA,		 /* the CFA is register number + offset */
	CFI_STEP_CFA_REGISTER,	 /* ... register number, with the same offset */
	CFI_STEP_CFA_OFFSET,	 /* ... the same register + offset */
	CFI_STEP_CFA_EXPRESSION, /* ... the result of rule.expression */
	CFI_STEP_RULE,		 /* register number is restored by rule */
	CFI_STEP_RESTORE,	 /* ... by its rule in the CIE */
	CFI_STEP_REMEMBER,	 /* push the state ... */
	CFI_STEP_RECALL,	 /* ... and pop it */
	CFI_STEP_SIGN,		 /* toggles whether the return address is signed */
};

struct cfi_step {
	enum cfi_step_kind kind;
	uint64_t number;
	uint64_t location;
	int64_t offset;
	struct cfi_rule rule;
};

/* Decode one instruction from bytes; location: the one before it.  False: truncated or unknown. */
bool cfi_decode(const struct cfi_section *section, const struct cfi_entry *entry, uint64_t location,
		struct cfi_bytes *bytes, struct cfi_step *out);

#endif
