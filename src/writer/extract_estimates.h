/* Errors of the times and calls of counted functions, in an extract.  For extract.c.  One thread;
 * uses malloc. */
#ifndef KYMO_EXTRACT_ESTIMATES_H
#define KYMO_EXTRACT_ESTIMATES_H

#include "writer/extract_paths.h"

/* Write the tree's errors of the regions whose paths are written.  A function of which only a part
 * is in the extract has the errors of the whole: its distribution is not known more exactly. False:
 * out of memory. */
bool extract_write_estimates(struct extract *extract);

#endif
