/* Applying a plan in memory: mapping trampolines near the module.  The jumps in its functions are
 * written later (patchapply_write.h).
 *
 * Used in a process that is just starting, by the loader's hook for libraries loaded later, and
 * from outside on a stopped process.  No function here calls the C library, allocates, or takes a
 * lock. */
#ifndef KYMO_PATCHAPPLY_H
#define KYMO_PATCHAPPLY_H

#include "patch/apply/patchapplied.h"

/* Map the plan's code near the module, at its preferred address if that is free, and fill in the
 * vector.  plan_fd, when >= 0, is the plan's file; code without fixups is mapped from it.  0 or an
 * errno value: ENOMEM = no free address within reach. */
int patchapply_map(struct patch_applied *applied, int plan_fd, const struct patch_vector *vector);
/* Unmap it; no thread is in it, and no write is in place. */
void patchapply_unmap(struct patch_applied *applied);

#endif
