/* Writing the jumps into a module's text, and taking them back.  No function here calls the C
 * library (it may be what is changed), allocates, or takes a lock. */
#ifndef KYMO_PATCHAPPLY_WRITE_H
#define KYMO_PATCHAPPLY_WRITE_H

#include "patch/apply/patchapplied.h"

/* Make the writes of the functions that choice (a byte each; NULL = all) takes: verified before,
 * all of one function or none.  No thread runs in these bytes; is_alone: the process has no other
 * thread at all.  0, with the number of functions that are written now in *count_out, or an errno
 * value: nothing was written, since the text may not be. */
int patchapply_write(struct patch_applied *applied, const uint8_t *choice, bool is_alone,
		     uint64_t *count_out);
/* The process has one thread. */
bool patchapply_is_alone(void);
/* Undo all writes; no thread runs there.  0 or an errno value. */
int patchapply_unwrite(struct patch_applied *applied);

#endif
