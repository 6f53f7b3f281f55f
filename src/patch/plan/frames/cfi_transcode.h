/* Unwind rules of all registers, followed through the program of a frame description, to be
 * written again (cfi_emit.h) for code that was moved.
 *
 * The input may be hostile.  Nothing is allocated; expressions stay where they are in
 * the section that they come from.  One thread. */
#ifndef KYMO_CFI_TRANSCODE_H
#define KYMO_CFI_TRANSCODE_H

#include "object/unwind/cfi_program.h"

#define CFI_TRANSCODE_REGISTERS 17u /* of x86-64, the return address among them */
#define CFI_TRANSCODE_DEPTH_MAX 8u
#define CFI_TRANSCODE_RETURN	16u

struct cfi_transcode_rule {
	uint8_t kind; /* enum cfi_rule_kind */
	uint32_t size;
	union {
		int64_t value;
		const uint8_t *expression; /* size bytes */
	};
};

struct cfi_transcode_state {
	bool is_expression; /* the CFA */
	uint8_t cfa_register;
	uint32_t cfa_size;
	union {
		int64_t cfa_offset;
		const uint8_t *cfa_expression;
	};
	struct cfi_transcode_rule rules[CFI_TRANSCODE_REGISTERS];
};

struct cfi_transcode { /* following: of one section, best in the order of addresses */
	const struct cfi_section *section;
	struct cfi_entry entry;
	struct cfi_bytes bytes; /* what was not executed yet … */
	uint64_t location;	/* … and from where on it is true */
	uint64_t asked;
	bool has_entry, is_bad;
	struct cfi_transcode_state state, initial;
	struct cfi_transcode_state remembered[CFI_TRANSCODE_DEPTH_MAX];
	unsigned depth;
};

/* At a function's first byte. */
void cfi_transcode_start(struct cfi_transcode_state *state);

void cfi_transcode_init(struct cfi_transcode *rows, const struct cfi_section *section);
/* The state at an address; NULL: nothing is known of it.  *is_same_out: it is the one that was
 * told last. */
const struct cfi_transcode_state *cfi_transcode_at(struct cfi_transcode *rows, uint64_t address,
						   bool *is_same_out);

/* DWARF's, as far as others need them. */
enum { CFI_TRANSCODE_RSP = 7 };
#define CFI_TRANSCODE_DATA_ALIGNMENT (-1)

#endif
