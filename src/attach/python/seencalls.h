/* Calls from one Python function to another that were seen for certain in a process.
 *
 * A thread that runs on while it is read shows most of its stack in passing: what it seems to
 * call is believed where the same instruction has been seen to call the same code.  And, for
 * each code object, how far behind its frame those of its callees lie.
 *
 * Bounded: a full table is begun anew.  One thread; uses private pages. */
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
