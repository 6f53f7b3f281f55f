/* The exits of a function: for each a place for a jump to its trampoline.  Any thread of a
 * decision; uses malloc(): decision.is_short_of_memory. */
#ifndef KYMO_PATCHEXITS_H
#define KYMO_PATCHEXITS_H

#include "patch/analyse/patchdecision.h"

/* Add all exits of the function to decision.exits; PLAN_FINE, or why not all of them can be
 * patched: then only loops back to the entry remain; PLAN_BRANCH_INTO_ENTRY: not even these. */
enum plan_reason patchexits_find(struct patch_decision *decision, struct patch_function *function);

#endif
