/* What the files that take bytes for a plan share.  Context: any; nothing of the C library. */
#ifndef KYMO_PLANREAD_H
#define KYMO_PLANREAD_H

#include "patch/plan/plan.h"

/* The copies and the calls of functions, whose sections lie inside of the plan. */
bool planread_throttle(const struct plan *plan);

#endif
