/* A place for a run whose own directory cannot be made.  Uses nothing that is kept.  Context: init.
 */
#ifndef KYMO_RUNDIRECTORY_ELSEWHERE_H
#define KYMO_RUNDIRECTORY_ELSEWHERE_H

#include "config/outputname.h"

/* After rundirectory_make() failed as problem says: make a directory of its own below TMPDIR, or
 * /tmp, unless somebody has named where it is to be.  KYMO_OK with its absolute path in path,
 * and problem has the line to say of it; else KYMO_SYSTEM with the problem as it was. */
enum kymo_status rundirectory_elsewhere(const struct output_context *context, char *path,
					size_t size, struct problem *problem);

#endif
