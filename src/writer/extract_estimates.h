/* How far off the times and calls of counted functions may be, in an extract.  For extract.c.  One
 * thread; uses malloc. */
#ifndef KYMO_EXTRACT_ESTIMATES_H
#define KYMO_EXTRACT_ESTIMATES_H

#include "writer/extract_paths.h"

/* Write what the tree knows of it, of the regions whose paths are written.  A function of which
 * only a part is in the extract has the errors of the whole: how it is shared out is no better
 * known. False: out of memory. */
bool extract_write_estimates(struct extract *extract);

#endif
