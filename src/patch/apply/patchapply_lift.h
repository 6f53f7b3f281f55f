/* Taking the jumps out of text that runs, for a while, and putting them back.  No function here
 * calls the C library, allocates, or takes a lock. */
#ifndef KYMO_PATCHAPPLY_LIFT_H
#define KYMO_PATCHAPPLY_LIFT_H

#include "patch/apply/patchapplied.h"

/* Say of new functions whether they can be lifted: those cannot in which a call would come back
 * into the midst of what is written.  To be called before patchapply_lift(), while all run. */
void patchapply_pin(struct patch_applied *applied);
/* All threads are stopped: as it was, but for what is pinned or was changed by others.  0, or
 * an errno value: nothing was changed. */
int patchapply_lift(struct patch_applied *applied);
/* Likewise, back in place, but for what is held, which becomes lifted again; how many these are
 * in *left_out. */
int patchapply_put_back(struct patch_applied *applied, uint64_t *left_out);

/* The bytes of lifted functions that nobody may stand in, or come back to, when they are put
 * back: all but the first of each write.  A bit a byte of text; bits has room for
 * patchapply_inner_bytes(), all zero.  False where address is none of them. */
uint64_t patchapply_inner_bytes(const struct patch_applied *applied);
void patchapply_inner_mark(const struct patch_applied *applied, uint8_t *bits);
bool patchapply_is_inner(const struct patch_applied *applied, const uint8_t *bits,
			 uint64_t address);
/* Hold the functions whose bytes address is among. */
void patchapply_hold(struct patch_applied *applied, uint64_t address);

#endif
