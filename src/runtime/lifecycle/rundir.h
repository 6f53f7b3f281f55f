/* The run directory: made by the first process of a run or by the command that started it, joined
 * by the others through KYMO_RUN_DIR. */
#ifndef KYMO_RUNDIR_H
#define KYMO_RUNDIR_H

#include <stddef.h>
#include <sys/types.h>

#include "runtime/runtime.h"

/* Set this process as the parent in an environment for programs that are started; allocates
 * nothing.  Context: any. */
KYMO_EXPORT void kymo_run_sign(char *const *environment);
/* Make or join the run directory; 0, or -1 with the reason. */
int rundir_open(const char *const *argv, char *reason, size_t size);
/* Id of the parent; if that has ended, of the nearest recorded ancestor. */
pid_t rundir_parent(void);
/* Make the programs that this process starts join the run, with it as their parent. */
void rundir_export(void);
/* Begin the recording's clock pairs with the run's first one. */
void rundir_first_pair(void);

#endif
