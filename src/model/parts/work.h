/* What of the time of call paths is work, whose spread over ranks and threads can be compared.
 *
 * Not work are calls that wait for another thread, what MPI and OpenMP do (parts/runtime_code.h),
 * threads that never left their wait, and what is in no region.  Of samples, work is CPU time.
 * Any thread. */
#ifndef KYMO_WORK_H
#define KYMO_WORK_H

#include "model/tree/calltree.h"

/* Nanoseconds of work that each node did itself, by its number, which the caller frees; NULL = no
 * memory. */
double *work_of_nodes(const struct calltree *tree);

/* Of the calls of a region by themselves, where who called them is not known. */
bool work_is_none_of(const struct region *region);

/* A thread of a pool that nobody gave anything to do, or one that serves a library: what it used
 * is what its start takes.  Of samples it is their CPU time that tells. */
bool work_thread_is_idle(const struct calltree *tree, uint32_t thread);

#endif
