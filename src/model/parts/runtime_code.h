/* Code of MPI and OpenMP runtimes: what is done there is communication and waiting, most of it
 * by spinning, and none of it is the program's work.
 *
 * MPI's is all that its functions do.  Those of OpenMP call the program's parallel regions, too:
 * theirs is only what they do themselves, and what they ask of the system.  Context: any. */
#ifndef KYMO_RUNTIME_CODE_H
#define KYMO_RUNTIME_CODE_H

#include "model/recording/recording.h"

enum runtime_code {
	RUNTIME_CODE_NONE,
	RUNTIME_CODE_CALLEE, /* the system's: whoever calls it counts */
	RUNTIME_CODE_OPENMP,
	RUNTIME_CODE_MPI,
};

enum runtime_code runtime_code_of(const struct region *region);

/* Of a visit, whose caller's is given. */
enum runtime_code runtime_code_below(enum runtime_code caller, const struct region *region);

/* Whether the time that a region of that code takes itself is no work. */
static inline bool runtime_code_waits(enum runtime_code code)
{
	return code == RUNTIME_CODE_OPENMP || code == RUNTIME_CODE_MPI;
}

#endif
