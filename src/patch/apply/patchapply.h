/* Applying a plan in memory: trampolines beside the module.  The jumps in its functions come after
 * that (patchapply_write.h).
 *
 * Used in a process that is just starting, by the loader's hook for libraries that come later,
 * and from outside on a stopped process.  No function here calls the C library, allocates, or
 * takes a lock. */
#ifndef KYMO_PATCHAPPLY_H
#define KYMO_PATCHAPPLY_H

#include "patch/apply/patchapplied.h"

/* Map the plan's code near the module, at its own place where that is free, and fill the
 * vector.  plan_fd, when >= 0, is the file of the plan, which code is mapped from where it needs
 * no fixups.  0 or an errno value: ENOMEM = no place within reach. */
int patchapply_map(struct patch_applied *applied, int plan_fd, const struct patch_vector *vector);
/* Give it back; nobody runs in it, and no write is in place. */
void patchapply_unmap(struct patch_applied *applied);

#endif
