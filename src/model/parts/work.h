/* How much of the time of call paths is work, whose distribution over ranks and threads can be
 * compared.
 *
 * Not work are calls that wait for another thread, MPI and OpenMP runtimes (parts/runtime_code.h),
 * threads that never left their wait, and time in no region.  Of samples, work is CPU time.  Any
 * thread. */
#ifndef KYMO_WORK_H
#define KYMO_WORK_H

#include "model/tree/calltree.h"

/* Nanoseconds of own work of each node, by its number; the caller frees.  NULL = no memory. */
double *work_of_nodes(const struct calltree *tree);

/* Calls of the region are never work, whoever called them. */
bool work_is_none_of(const struct region *region);

/* A thread of a pool that never got any work, or one that serves a library: it used only the CPU
 * time of its start.  With samples, CPU time decides. */
bool work_thread_is_idle(const struct calltree *tree, uint32_t thread);

#endif
