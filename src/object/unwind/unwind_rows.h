/* Between the unwinders and their knowledge of addresses of this process.  Context: any. */
#ifndef KYMO_UNWIND_ROWS_H
#define KYMO_UNWIND_ROWS_H

#include <string.h>

#include "object/unwind/unwind.h"

/* The row for an address that is not cached, as a word; 0: there is none.  at is within the
 * instruction, next is the instruction's or the return address. */
uint64_t unwind_row_find(uint64_t at, uint64_t next);

/* The word for code with a description that no row can express: its cfa is CFI_CFA_NONE. */
#define UNWIND_ROW_UNSUPPORTED 1u

/* In cached words: of a module that may be unloaded, and another one loaded at its address.  A bit
 * of cfa, so that such a row is not handled as a common one. */
#define UNWIND_ROW_LATE (1ull << 55)

/* As a nonzero word. */
static inline uint64_t unwind_row_word(const struct cfi_row *row)
{
	uint64_t word;

	memcpy(&word, row, sizeof(word));
	return row->cfa == CFI_CFA_NONE ? UNWIND_ROW_UNSUPPORTED : word;
}

/* True when the module that covers address has not changed since generation began; its bounds. */
bool unwind_is_current(uint64_t address, uint64_t generation, uint64_t *start_out,
		       uint64_t *end_out);

/* As cfi_find_register(), in this process. */
bool unwind_row_register(uint64_t pc, unsigned number, int32_t *offset_out);

/* True when address is in executable memory. */
bool unwind_is_code(uint64_t address);

/* True when address is in a module with frame descriptions. */
bool unwind_has_tables(uint64_t address);

/* Processor-specific: code without a description that is recognised by its bytes, at most size of
 * them at code.  False: not recognised. */
bool unwind_row_by_code(const uint8_t *code, size_t size, struct cfi_row *row_out);

#endif
