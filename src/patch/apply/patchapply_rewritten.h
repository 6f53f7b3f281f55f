/* Serving a file that was rewritten on disk.  Context: as patchapply.h; nothing of the C library.
 */
#ifndef KYMO_PATCHAPPLY_REWRITTEN_H
#define KYMO_PATCHAPPLY_REWRITTEN_H

#include "patch/apply/patchapplied.h"

/* As patchapply_map(), for a module that was rewritten on disk: segment is its last one in memory,
 * size bytes, which contains its plan and choice (rewritehead.h).  Its text has the jumps; vector
 * and switch are mapped over those of the file, the switch off.  Not to be unmapped.  0 or an errno
 * value: ENOENT = it is no such segment. */
int patchapply_attach_rewritten(struct patch_applied *applied, const void *segment, uint64_t size,
				const struct patch_vector *vector);

#endif
