/* Rows of stretches of code that has no description: within one, every instruction is left in
 * the same way, so that the code behind it is read once and not for each of them.  A few are
 * kept, the latest; words that do not belong together are none, as in rowcache.h.
 * Context: any. */
#ifndef KYMO_ROWRANGES_H
#define KYMO_ROWRANGES_H

#include <stdbool.h>
#include <stdint.h>

/* The row's word for an instruction at address; false: not known. */
bool rowranges_find(uint64_t address, uint64_t generation, uint64_t *row_out);

/* From first on to last, both included. */
void rowranges_add(uint64_t first, uint64_t last, uint64_t generation, uint64_t row);

#endif
