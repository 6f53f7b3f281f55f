/* Code of MPI and OpenMP runtimes: its time is communication and waiting, mostly by spinning, and
 * not the program's work.
 *
 * Of MPI this includes everything that its functions call.  OpenMP runtimes also call the program's
 * parallel regions: only their own time and that of their system calls counts.  Context: any. */
#ifndef KYMO_RUNTIME_CODE_H
#define KYMO_RUNTIME_CODE_H

#include "model/recording/recording.h"

enum runtime_code {
	RUNTIME_CODE_NONE,
	RUNTIME_CODE_CALLEE, /* the system's: attributed to its caller */
	RUNTIME_CODE_OPENMP,
	RUNTIME_CODE_MPI,
};

enum runtime_code runtime_code_of(const struct region *region);

/* Of a visit, given its caller's. */
enum runtime_code runtime_code_below(enum runtime_code caller, const struct region *region);

/* Whether the self time of a region of that code is not work. */
static inline bool runtime_code_waits(enum runtime_code code)
{
	return code == RUNTIME_CODE_OPENMP || code == RUNTIME_CODE_MPI;
}

#endif
