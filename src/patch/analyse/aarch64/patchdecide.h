/* How each function of an AArch64 file is recorded: where its entry is patched, and how its end is
 * observed.  After patchtargets_scan(), one thread, with malloc().
 *
 * Into module: exits, owners, and of each function reason, way, entry and what follows them.
 * KYMO_OK, or KYMO_MEMORY and one line in problem. */
#ifndef KYMO_PATCHDECIDE_AARCH64_H
#define KYMO_PATCHDECIDE_AARCH64_H

#include "patch/analyse/file/patchmodule.h"

enum kymo_status armdecide(struct patch_module *module, struct problem *problem);

#endif
