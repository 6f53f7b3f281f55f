/* The process's rank in MPI and the number of ranks, as launchers tell them in the environment.
 * Texts of digits, as they stand there.  Context: init. */
#ifndef KYMO_MPIRANK_H
#define KYMO_MPIRANK_H

/* The value of a variable in whatever holds the environment; NULL = not set. */
typedef const char *(*mpirank_lookup_fn)(const void *context, const char *name);

/* NULL = this is no rank of MPI, or the number of ranks is not said. */
const char *mpirank_text(mpirank_lookup_fn lookup, const void *context);
const char *mpirank_size_text(mpirank_lookup_fn lookup, const void *context);

#endif
