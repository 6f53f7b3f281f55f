/* Programs that were built with a sanitizer.  Context: thread; uses malloc(). */
#ifndef KYMO_PATCHSANITIZED_H
#define KYMO_PATCHSANITIZED_H

#include <stdbool.h>

/* The program at path was built with a sanitizer that rules out call-through: plan_kind_of(…,
 * false).  False also if that cannot be determined. */
bool patchsanitized_is(const char *path);

#endif
