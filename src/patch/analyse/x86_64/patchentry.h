/* Where the jump at a function's entry is written, and what it displaces.  Any thread of a
 * decision; allocates nothing. */
#ifndef KYMO_PATCHENTRY_H
#define KYMO_PATCHENTRY_H

#include "patch/analyse/patchdecision.h"

/* Into function->entry; PLAN_FINE or why it is not possible. */
enum plan_reason patchentry_find(struct patch_decision *decision, struct patch_function *function);
/* Likewise by a short jump to unused bytes, which are removed from module.caves.  One thread. */
enum plan_reason patchentry_find_cave(struct patch_decision *decision,
				      struct patch_function *function);
/* A call is among the displaced instructions: unwinders find its return address elsewhere. */
bool patchentry_moves_call(const struct patch_module *module, const struct patch_entry *entry);

#endif
