/* Calls from one Python function to another that were observed in a process.
 *
 * The stack of a thread that runs while it is read may be inconsistent: a call in it is accepted if
 * the same instruction was seen to call the same code before.  Also, for each code object, the
 * distance from its frame to those of its callees.
 *
 * Bounded: a full table is cleared.  One thread; uses private pages. */
#ifndef KYMO_SEENCALLS_H
#define KYMO_SEENCALLS_H

#include "base/hashset.h"
#include "pystack/pystack.h"

struct seencalls {
	struct hashset calls;	  /* hash of a call -> 1 */
	struct hashset distances; /* hash of a caller -> distance */
};

void seencalls_release(struct seencalls *calls);

/* distance 0 = not known from this call. */
void seencalls_add(struct seencalls *calls, const struct pycall *call, uint32_t distance);
bool seencalls_has(const struct seencalls *calls, const struct pycall *call);
/* 0 = not known. */
uint32_t seencalls_distance(const struct seencalls *calls, uint64_t caller);

#endif
