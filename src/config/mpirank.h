/* The process's rank in MPI and the number of ranks, as launchers tell them in the environment.
 * Texts of digits, as they stand there.  Context: init. */
#ifndef KYMO_MPIRANK_H
#define KYMO_MPIRANK_H

#include <stdbool.h>
#include <stddef.h>

/* The value of a variable in whatever holds the environment; NULL = not set. */
typedef const char *(*mpirank_lookup_fn)(const void *context, const char *name);

/* NULL = this is no rank of MPI, or the number of ranks is not said. */
const char *mpirank_text(mpirank_lookup_fn lookup, const void *context);
const char *mpirank_size_text(mpirank_lookup_fn lookup, const void *context);

/* What the launcher calls the job that this rank is of, fit for a file's name and without a leading
 * '.'; the same in all of its ranks and different in jobs that run beside it.  Launchers that name
 * no job are known by their process, so that each node's ranks are a job then.  False where this is
 * no rank, or the only one.  Reads /proc. */
bool mpirank_job(mpirank_lookup_fn lookup, const void *context, char *text, size_t size);

#endif
