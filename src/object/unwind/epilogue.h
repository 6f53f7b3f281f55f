/* Unwinding code without a description by following it to its return: hand-written kernels.
 * Processor-specific; without an implementation no code can be followed.  Context: any. */
#ifndef KYMO_EPILOGUE_H
#define KYMO_EPILOGUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cfi_row;

/* Code without a description: its instructions from here to its return.  before bytes ahead of code
 * and size bytes from it are its module's; generation is of the rows.  False: it cannot be
 * followed. */
bool unwind_row_by_epilogue(const uint8_t *code, size_t before, size_t size, uint64_t generation,
			    struct cfi_row *row_out);

#endif
