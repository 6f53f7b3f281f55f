/* Takes the page faults and copies of a later write in advance.  Context: thread; system calls
 * alone. */
#ifndef KYMO_PATCHAPPLY_READY_H
#define KYMO_PATCHAPPLY_READY_H

#include "patch/apply/patchapplied.h"

/* While the program runs, before a write or an undo, so that these take as little time as possible.
 * No byte is changed.  has_text: the pages of text that are to be written are in memory, and
 * private copies. */
void patchapply_ready(struct patch_applied *applied, bool has_text);

#endif
