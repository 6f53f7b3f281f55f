/* Hooks that compilers put into functions on demand, and what becomes of them.  Either thread of a
 * decision; no memory of its own. */
#ifndef KYMO_PATCHHOOKS_H
#define KYMO_PATCHHOOKS_H

#include "patch/analyse/patchdecision.h"

/* Which of them the file has. */
void patchhooks_look(const struct patch_module *module, struct patch_hooks *out);
/* What becomes of the hooks that the function calls.  PLAN_FINE: it has PLAN_WAY_HOOK, or its
 * entry is found, or it is as others are. */
enum plan_reason patchhooks_take(struct patch_decision *decision, struct patch_function *function);
/* The call at address is one that is not made. */
bool patchhooks_is_dropped(const struct patch_module *module, uint64_t address);

#endif
