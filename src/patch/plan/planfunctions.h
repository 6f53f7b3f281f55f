/* What a plan changes in each function and loop: records, writes and names; the code of loops, and
 * copies that only count.  One thread; uses malloc: all memory is the maker's. */
#ifndef KYMO_PLANFUNCTIONS_H
#define KYMO_PLANFUNCTIONS_H

#include "base/status.h"

struct plan_maker;

/* The step after emission: KYMO_OK, or one line: too many functions, code that cannot be made, no
 * memory. */
enum kymo_status planfunctions_make(struct plan_maker *maker);

#endif
