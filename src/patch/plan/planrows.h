/* Unwind rules of all registers: followed through the program of a frame description, and
 * said again in another one for code that was moved.
 *
 * What is followed may be hostile.  No memory is taken; expressions stay where they are in
 * the section that they come from.  One thread. */
#ifndef KYMO_PLANROWS_H
#define KYMO_PLANROWS_H

#include "patch/plan/planblob.h"
#include "object/unwind/cfi_program.h"

#define ROWS_REGISTERS 17u /* of x86-64, the return address among them */
#define ROWS_DEPTH_MAX 8u
#define ROWS_RETURN    16u

struct rows_rule {
	uint8_t kind; /* enum cfi_rule_kind */
	uint32_t size;
	union {
		int64_t value;
		const uint8_t *expression; /* size bytes */
	};
};

struct rows_state {
	bool is_expression; /* the CFA */
	uint8_t cfa_register;
	uint32_t cfa_size;
	union {
		int64_t cfa_offset;
		const uint8_t *cfa_expression;
	};
	struct rows_rule rules[ROWS_REGISTERS];
};

struct rows { /* following: of one section, best in the order of addresses */
	const struct cfi_section *section;
	struct cfi_entry entry;
	struct cfi_bytes bytes; /* what was not executed yet … */
	uint64_t location;	/* … and from where on it is true */
	uint64_t asked;
	bool has_entry, is_bad;
	struct rows_state state, initial;
	struct rows_state remembered[ROWS_DEPTH_MAX];
	unsigned depth;
};

/* At a function's first byte. */
void rows_start(struct rows_state *state);

void rows_init(struct rows *rows, const struct cfi_section *section);
/* The state at an address; NULL: nothing is known of it.  *is_same_out: it is the one that was
 * told last. */
const struct rows_state *rows_at(struct rows *rows, uint64_t address, bool *is_same_out);

/* Add to stretch what makes the one state of the other. */
bool rows_say(struct plan_stretch *stretch, const struct rows_state *from,
	      const struct rows_state *to);
bool rows_byte(struct plan_stretch *stretch, uint8_t byte);
bool rows_bytes(struct plan_stretch *stretch, const void *bytes, size_t size);

/* DWARF's, as far as others need them. */
enum { ROWS_RSP = 7 };
#define ROWS_DATA_ALIGNMENT (-1)

#endif
