/* Between the walks along stacks and what they know about addresses of this process.
 * Context: any. */
#ifndef KYMO_UNWIND_ROWS_H
#define KYMO_UNWIND_ROWS_H

#include <string.h>

#include "object/unwind/unwind.h"

/* The row for an address that is not in the cache, as a word; 0: there is none.  at lies
 * inside of the instruction, next is where it executes or where a call returns to. */
uint64_t unwind_row_find(uint64_t at, uint64_t next);

/* The word for code that is described, by what no row can say: its cfa is CFI_CFA_NONE. */
#define UNWIND_ROW_UNSAID 1u

/* In words that are kept: of a module that may be unloaded, and another come to its place.
 * A bit of cfa, so that such a row is none of the plain ones. */
#define UNWIND_ROW_LATE (1ull << 55)

/* As a word that is not 0. */
static inline uint64_t unwind_row_word(const struct cfi_row *row)
{
	uint64_t word;

	memcpy(&word, row, sizeof(word));
	return row->cfa == CFI_CFA_NONE ? UNWIND_ROW_UNSAID : word;
}

/* True when the module that covers address is the one it was when generation began; its
 * bounds. */
bool unwind_is_current(uint64_t address, uint64_t generation, uint64_t *start_out,
		       uint64_t *end_out);

/* As cfi_find_register(), in this process. */
bool unwind_row_register(uint64_t pc, unsigned number, int32_t *offset_out);

/* True when address is in memory that may be executed. */
bool unwind_is_code(uint64_t address);

/* True when address is in a module that describes functions. */
bool unwind_has_tables(uint64_t address);

/* The processor's: code that has no description but is known by its bytes, at most size of
 * them at code.  False: no such. */
bool unwind_row_by_code(const uint8_t *code, size_t size, struct cfi_row *row_out);

#endif
