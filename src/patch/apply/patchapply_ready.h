/* What a write would meet for the first time is met before it.  Context: thread; system calls
 * alone. */
#ifndef KYMO_PATCHAPPLY_READY_H
#define KYMO_PATCHAPPLY_READY_H

#include "patch/apply/patchapplied.h"

/* While the program runs, before a write or before taking back: so that these need as little time
 * as can be.  No byte is changed.  has_text: the pages of text that are to be written to are in
 * memory, and no longer the file's. */
void patchapply_ready(struct patch_applied *applied, bool has_text);

#endif
