/* Hooks that compilers insert into functions on request, and how each is handled.  Any thread of a
 * decision; allocates nothing. */
#ifndef KYMO_PATCHHOOKS_H
#define KYMO_PATCHHOOKS_H

#include "patch/analyse/patchdecision.h"

/* Determine which of them the file has. */
void patchhooks_find(const struct patch_module *module, struct patch_hooks *out);
/* Handle the hooks that the function calls.  PLAN_FINE: it has PLAN_WAY_HOOK, or its entry is
 * found, or it has no hooks. */
enum plan_reason patchhooks_take(struct patch_decision *decision, struct patch_function *function);
/* The call at address is dropped. */
bool patchhooks_is_dropped(const struct patch_module *module, uint64_t address);

#endif
