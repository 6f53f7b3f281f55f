/* A fallback directory for a run whose own cannot be made.  No static state.  Context: init. */
#ifndef KYMO_RUNDIRECTORY_ELSEWHERE_H
#define KYMO_RUNDIRECTORY_ELSEWHERE_H

#include "config/outputname.h"

/* After rundirectory_make() failed with problem: make a directory below TMPDIR, or /tmp, unless
 * OUTPUT_PATH was set.  KYMO_OK with its absolute path in path and a line to print in problem;
 * otherwise KYMO_SYSTEM with the problem unchanged. */
enum kymo_status rundirectory_elsewhere(const struct output_context *context, char *path,
					size_t size, struct problem *problem);

#endif
