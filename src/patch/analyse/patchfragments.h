/* Detached parts of functions: which function each belongs to.  One thread.  After
 * patchtargets_scan(). */
#ifndef KYMO_PATCHFRAGMENTS_H
#define KYMO_PATCHFRAGMENTS_H

#include "patch/analyse/patchdecision.h"

/* Into decision: owners and the lists of parts; is_short_of_memory when out of memory. Functions
 * that are parts become PLAN_PART. */
void patchfragments_link(struct patch_decision *decision);
/* Afterwards: the function that an address belongs to, for parts their owner; PATCH_NO_FUNCTION =
 * none. */
uint32_t patchfragments_owner(const struct patch_decision *decision, uint64_t address);

#endif
