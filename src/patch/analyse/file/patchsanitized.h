/* Programs that were built with a sanitizer.  Context: thread; uses malloc(). */
#ifndef KYMO_PATCHSANITIZED_H
#define KYMO_PATCHSANITIZED_H

#include <stdbool.h>

/* The program at path was built with a sanitizer in whose presence nothing is called through:
 * plan_kind_of(…, false).  False also where that cannot be said. */
bool patchsanitized_is(const char *path);

#endif
