/* The run directory: made by the first process of a run or by the command that started it, joined
 * by the others through KYMO_RUN_DIR. */
#ifndef KYMO_RUNDIR_H
#define KYMO_RUNDIR_H

#include <stddef.h>
#include <sys/types.h>

#include "runtime/runtime.h"

/* Put this process in as the parent, in an environment that programs will be given; nothing
 * is allocated.  Context: any. */
KYMO_EXPORT void kymo_run_sign(char *const *environment);
/* rundir.c: make or join the run directory; 0, or -1 with the reason. */
int rundir_open(const char *const *argv, char *reason, size_t size);
/* Id of the parent; where that has ended, of the recorded process that was above it. */
pid_t rundir_parent(void);
/* Let the programs that this process starts join, and know it as their parent. */
void rundir_export(void);
/* Begin the recording's clock pairs with the run's first one. */
void rundir_first_pair(void);

#endif
