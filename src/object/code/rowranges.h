/* Rows of address ranges of code without a description: within one, every instruction is unwound by
 * the same row, so that the code after it is not analysed for each of them.  The latest few are
 * kept; an entry whose words do not match is ignored, as in rowcache.h.  Context: any. */
#ifndef KYMO_ROWRANGES_H
#define KYMO_ROWRANGES_H

#include <stdbool.h>
#include <stdint.h>

/* The row's word for an instruction at address; false: not cached. */
bool rowranges_find(uint64_t address, uint64_t generation, uint64_t *row_out);

/* From first to last, both included. */
void rowranges_add(uint64_t first, uint64_t last, uint64_t generation, uint64_t row);

#endif
