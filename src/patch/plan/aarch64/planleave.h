/* What trampolines of AArch64 displace, done elsewhere, and the ends of a function.  One thread per
 * job; what is made goes into the job's blob. */
#ifndef KYMO_PLANLEAVE_AARCH64_H
#define KYMO_PLANLEAVE_AARCH64_H

#include "patch/plan/planemit.h"

/* The instruction of the file at address, done here; behind it the code goes on, when it does.
 * Exits are recorded.  False: that cannot be done elsewhere. */
bool armleave_displaced(struct plan_job *job, uint64_t address, bool *goes_on_out);
/* All exits but that which the entry displaces. */
bool armleave_exits(struct plan_job *job);

#endif
