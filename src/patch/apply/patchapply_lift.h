/* Temporarily taking the jumps out of running text, and putting them back.  No function here calls
 * the C library, allocates, or takes a lock. */
#ifndef KYMO_PATCHAPPLY_LIFT_H
#define KYMO_PATCHAPPLY_LIFT_H

#include "patch/apply/patchapplied.h"

/* Determine for new functions whether they can be lifted: not if a call would return into the
 * middle of a write.  To be called before patchapply_lift(), while threads run. */
void patchapply_pin(struct patch_applied *applied);
/* All threads are stopped: restore the original bytes, except of functions that are pinned or were
 * changed by others.  0, or an errno value: nothing was changed. */
int patchapply_lift(struct patch_applied *applied);
/* Likewise, put the jumps back, except of held functions, which become lifted again; *left_out is
 * their number. */
int patchapply_put_back(struct patch_applied *applied, uint64_t *left_out);

/* The bytes of lifted functions that no thread may be at, or return to, when the jumps are put
 * back: all but the first of each write.  A bit per byte of text; bits has patchapply_inner_bytes()
 * bytes, all zero.  False where address is none of them. */
uint64_t patchapply_inner_bytes(const struct patch_applied *applied);
void patchapply_inner_mark(const struct patch_applied *applied, uint8_t *bits);
bool patchapply_is_inner(const struct patch_applied *applied, const uint8_t *bits,
			 uint64_t address);
/* Hold the functions that have inner bytes at address. */
void patchapply_hold(struct patch_applied *applied, uint64_t address);

#endif
