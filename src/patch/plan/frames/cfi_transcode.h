/* Unwind rules of all registers, by executing a frame description, to be emitted again (cfi_emit.h)
 * for relocated code.
 *
 * The input may be hostile.  Nothing is allocated; expressions remain in the section that they come
 * from.  One thread. */
#ifndef KYMO_CFI_TRANSCODE_H
#define KYMO_CFI_TRANSCODE_H

#include "object/unwind/cfi_program.h"

#define CFI_TRANSCODE_REGISTERS 17u /* of x86-64, including the return address */
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

struct cfi_transcode { /* input: one section, preferably in ascending order of addresses */
	const struct cfi_section *section;
	struct cfi_entry entry;
	struct cfi_bytes bytes; /* instructions not executed yet … */
	uint64_t location;	/* … and the address from which they apply */
	uint64_t asked;
	bool has_entry, is_bad;
	struct cfi_transcode_state state, initial;
	struct cfi_transcode_state remembered[CFI_TRANSCODE_DEPTH_MAX];
	unsigned depth;
};

/* At a function's first byte. */
void cfi_transcode_start(struct cfi_transcode_state *state);

void cfi_transcode_init(struct cfi_transcode *rows, const struct cfi_section *section);
/* The state at an address; NULL: unknown.  *is_same_out: equal to the one returned last. */
const struct cfi_transcode_state *cfi_transcode_at(struct cfi_transcode *rows, uint64_t address,
						   bool *is_same_out);

/* DWARF register numbers that others need. */
enum { CFI_TRANSCODE_RSP = 7 };
#define CFI_TRANSCODE_DATA_ALIGNMENT (-1)

#endif
