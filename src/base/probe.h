/* Open addressing: the search in a table of slots, inlined, for slots of any type.  It is for
 * tables that hashset.h does not support: those with readers without a lock, in memory of a fixed
 * size, or in code that may call nothing.
 *
 *     probe(hash, mask, i, !slots[i].id || slots[i].key == key)
 *
 * is the first index i that satisfies the condition, starting at hash, in the circular table of
 * mask + 1 slots, a power of two.  A free slot must satisfy it, and one must be free.  hash and
 * mask are evaluated once.  Context: any. */
#ifndef KYMO_PROBE_H
#define KYMO_PROBE_H

#define probe(hash, mask, index, condition)                                                        \
	({                                                                                         \
		const __typeof__(mask) probe_mask = (mask);                                        \
		__typeof__(mask) index = (__typeof__(mask))(hash)&probe_mask;                      \
                                                                                                   \
		while (!(condition))                                                               \
			index = (index + 1) & probe_mask;                                          \
		index;                                                                             \
	})

#endif
