/* The process's rank in MPI and the number of ranks, from the launcher's environment variables.
 * Texts of digits, as they are there.  Context: init. */
#ifndef KYMO_MPIRANK_H
#define KYMO_MPIRANK_H

#include <stdbool.h>
#include <stddef.h>

/* The value of a variable in any representation of the environment; NULL = not set. */
typedef const char *(*mpirank_lookup_fn)(const void *context, const char *name);

/* NULL = the process is no MPI rank, or the launcher does not give the number of ranks. */
const char *mpirank_text(mpirank_lookup_fn lookup, const void *context);
const char *mpirank_size_text(mpirank_lookup_fn lookup, const void *context);

/* The launcher's name of this rank's job, fit for a file name and without a leading '.'; the same
 * in all of its ranks, and unique among concurrent jobs.  Launchers that do not name jobs are
 * identified by their process, so that the ranks of each node are one job.  False when this is no
 * rank, or the only one.  Reads /proc. */
bool mpirank_job(mpirank_lookup_fn lookup, const void *context, char *text, size_t size);

#endif
