/* Labels of regions in tables, traces and graphs: func, func(n=5), [func][file.py],
 * [func(n=5)][file.py:12], func:12. */
#ifndef KYMO_LABEL_H
#define KYMO_LABEL_H

#include <stddef.h>

struct region;

/* "func", "func(n=5)", "[func][file.py:12]": reference label grammar, composed from the
 * region's flags.  Writes at most size bytes with the NUL, returns the full length. */
size_t region_label(const struct region *region, char *text, size_t size);

#endif
