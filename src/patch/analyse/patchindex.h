/* An index of a table that is sorted by address: for each stretch of addresses, how many entries
 * begin before it.  A search covers the few entries of one stretch.
 *
 * Made once, then read by any thread.  Context: init. */
#ifndef KYMO_PATCHINDEX_H
#define KYMO_PATCHINDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct patch_index {
	uint32_t *before; /* by stretch, and one more */
	uint64_t start;	  /* of the first stretch */
	uint64_t stretches;
	unsigned shift;
	size_t count; /* entries at the time it was made: with another number it is stale */
};

/* Of count entries of size bytes, each beginning with its address, 8 bytes, in ascending order.
 * False: out of memory; the index is empty, which is no error. */
bool patchindex_make(struct patch_index *index, const void *entries, size_t count, size_t size);
void patchindex_release(struct patch_index *index);

/* Among the first count entries, those that do not begin after address number at least *low_out and
 * at most *high_out. */
static inline void patchindex_narrow(const struct patch_index *index, uint64_t address,
				     size_t count, size_t *low_out, size_t *high_out)
{
	uint64_t at = address - index->start;

	*low_out = 0;
	*high_out = count;
	if (!index->before || index->count != count)
		return;
	if (address < index->start) {
		*high_out = 0;
	} else if (at >> index->shift >= index->stretches) {
		*low_out = count;
	} else {
		*low_out = index->before[at >> index->shift];
		*high_out = index->before[(at >> index->shift) + 1];
	}
}

/* Bitmaps of text, one bit a byte from targets_start on. */

static inline bool patchbits_has(const uint8_t *bits, uint64_t at)
{
	return bits[at / 8] >> at % 8 & 1;
}

/* Safe with several threads. */
static inline void patchbits_set(uint8_t *bits, uint64_t at)
{
	uint8_t mask = (uint8_t)(1u << at % 8);

	if (!(__atomic_load_n(&bits[at / 8], __ATOMIC_RELAXED) & mask))
		__atomic_fetch_or(&bits[at / 8], mask, __ATOMIC_RELAXED);
}

#endif
