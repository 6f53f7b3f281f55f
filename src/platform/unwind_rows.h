/* Between the walks along stacks and what they know about addresses of this process.
 * Context: any. */
#ifndef KYMO_UNWIND_ROWS_H
#define KYMO_UNWIND_ROWS_H

#include "platform/unwind.h"

/* The row for an address that is not in the cache; false: there is none.  at lies inside of
 * the instruction, next is where it executes or where a call returns to. */
bool unwind_row_find(uint64_t at, uint64_t next, struct cfi_row *row_out);

/* True when a call may return to address. */
bool unwind_is_code(uint64_t address);

/* The processor's: code that has no description but is known by its bytes, at most size of
 * them at code.  False: no such. */
bool unwind_row_by_code(const uint8_t *code, size_t size, struct cfi_row *row_out);

#endif
