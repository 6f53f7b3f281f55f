/* The instructions that trampolines of x86-64 displace, relocated, and the ends of a function.  One
 * thread per job; code goes into the job's blob. */
#ifndef KYMO_PLANLEAVE_X86_64_H
#define KYMO_PLANLEAVE_X86_64_H

#include "patch/plan/planemit.h"

/* The instructions of [start, last), which are in bytes up to end that are overwritten; those that
 * leave the function are recorded.  False: they cannot be relocated. */
bool emit_displaced(struct plan_job *job, uint64_t start, uint64_t last, uint64_t end);
/* All exits but those that the entry displaces. */
bool emit_exits(struct plan_job *job);
/* Into job->code: the replacement of a call of mcount that is not among the displaced
 * instructions. */
void emit_nop(struct plan_job *job);

#endif
