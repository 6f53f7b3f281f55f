/* The instructions that trampolines of AArch64 displace, relocated, and the ends of a function.
 * One thread per job; code goes into the job's blob. */
#ifndef KYMO_PLANLEAVE_AARCH64_H
#define KYMO_PLANLEAVE_AARCH64_H

#include "patch/plan/planemit.h"

/* Emit the instruction at address of the file, relocated; the code continues after it, if it does.
 * Exits are recorded.  False: it cannot be relocated. */
bool armleave_displaced(struct plan_job *job, uint64_t address, bool *goes_on_out);
/* All exits but that which the entry displaces. */
bool armleave_exits(struct plan_job *job);

#endif
