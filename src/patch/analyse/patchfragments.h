/* Parts of functions that lie elsewhere: which belong to which function.  One thread.  After
 * patchtargets_scan(). */
#ifndef KYMO_PATCHFRAGMENTS_H
#define KYMO_PATCHFRAGMENTS_H

#include "patch/analyse/patchdecision.h"

/* Into decision: owners and the lists of parts; is_short_of_memory where there is no memory.
 * Functions that are parts become so: PLAN_PART. */
void patchfragments_link(struct patch_decision *decision);
/* Then: the function that a place belongs to, parts' own ones instead of parts;
 * PATCH_NO_FUNCTION = none. */
uint32_t patchfragments_owner(const struct patch_decision *decision, uint64_t address);

#endif
