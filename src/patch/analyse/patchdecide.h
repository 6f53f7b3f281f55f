/* How each function of an x86-64 file is recorded: where its entry is patched, and how its end is
 * observed.  After patchtargets_scan(), with malloc(); two threads for large files.
 *
 * KYMO_OK, or KYMO_MEMORY and one line in problem. */
#ifndef KYMO_PATCHDECIDE_H
#define KYMO_PATCHDECIDE_H

#include "patch/analyse/file/patchmodule.h"

/* Into module: exits, owners, and of each function reason, way, entry and what follows them. */
enum kymo_status patchdecide(struct patch_module *module, struct problem *problem);

/* Alternative: the exported functions for which wants returns true are called by their trampolines,
 * and nothing of them is moved.  All others are not instrumented. */
typedef bool (*patchdecide_wants_fn)(const struct patch_function *function, void *context);
enum kymo_status patchdecide_calls(struct patch_module *module, patchdecide_wants_fn wants,
				   void *context, struct problem *problem);

#endif
