/* Where the jump at a function's beginning goes, and what it displaces.  Either thread of a
 * decision; no memory of its own. */
#ifndef KYMO_PATCHENTRY_H
#define KYMO_PATCHENTRY_H

#include "patch/analyse/patchdecision.h"

/* Into function->entry; PLAN_FINE or why there is none. */
enum plan_reason patchentry_find(struct patch_decision *decision, struct patch_function *function);
/* Likewise by a short jump to bytes that nobody uses, which module.caves has then no more.  One
 * thread. */
enum plan_reason patchentry_find_cave(struct patch_decision *decision,
				      struct patch_function *function);
/* A call is among what the entry displaces: who unwinds meets it elsewhere. */
bool patchentry_moves_call(const struct patch_module *module, const struct patch_entry *entry);

#endif
