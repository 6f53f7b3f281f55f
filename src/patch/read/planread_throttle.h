/* Reading a plan: copies of functions, and the calls that may be redirected to them. Context: any;
 * nothing of the C library. */
#ifndef KYMO_PLANREAD_THROTTLE_H
#define KYMO_PLANREAD_THROTTLE_H

#include "patch/plan/plan.h"

/* True when they are valid.  Their sections are within the plan. */
bool planread_throttle(const struct plan *plan);

#endif
