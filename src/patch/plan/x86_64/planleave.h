/* What trampolines of x86-64 displace, done elsewhere, and the ends of a function.  One thread per
 * job; what is made goes into the job's blob. */
#ifndef KYMO_PLANLEAVE_X86_64_H
#define KYMO_PLANLEAVE_X86_64_H

#include "patch/plan/planemit.h"

/* The instructions of [start, last), which lie in bytes up to end that are overwritten; those
 * that leave the function are recorded.  False: that cannot be done elsewhere. */
bool emit_displaced(struct plan_job *job, uint64_t start, uint64_t last, uint64_t end);
/* All exits but those that the entry displaces. */
bool emit_exits(struct plan_job *job);
/* Into job->code: what takes the place of a call of mcount that is not among what is displaced. */
void emit_nop(struct plan_job *job);

#endif
