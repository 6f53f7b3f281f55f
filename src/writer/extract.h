/* Some regions with all that is below them, as a recording of its own: they become the outermost
 * calls, with the threads that were created there. */
#ifndef KYMO_EXTRACT_H
#define KYMO_EXTRACT_H

#include "model/tree/calltree.h"

/* Whether any call path of the tree leads through a region that marks[region] names. */
bool extract_has_any(const struct calltree *tree, const bool *marks);

/* Write it to path, for a program of that name.  The call paths are there with all that was
 * measured on them, how far off what was estimated may be, and of a trace the events; samples and
 * series are not.  A thread lasts as
 * long as the regions did there. */
enum kymo_status extract_write(const struct calltree *tree, const bool *marks, const char *path,
			       const char *program, struct problem *problem);

#endif
