/* Extracts some regions with their subtrees as a recording of its own: they become the outermost
 * calls, with the threads that were created there. */
#ifndef KYMO_EXTRACT_H
#define KYMO_EXTRACT_H

#include "model/tree/calltree.h"

/* Whether any call path of the tree contains a region in marks. */
bool extract_has_any(const struct calltree *tree, const bool *marks);

/* Write it to path, for a program of that name.  It contains the call paths with all their metrics,
 * the errors of estimates, and the events of a trace; no samples and series.  A thread lasts as
 * long as the regions did in it. */
enum kymo_status extract_write(const struct calltree *tree, const bool *marks, const char *path,
			       const char *program, struct problem *problem);

#endif
