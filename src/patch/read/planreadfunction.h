/* The function of a plan that an address lies in.  Context: any; touches general registers alone,
 * and calls nothing of the C library. */
#ifndef KYMO_PLANREADFUNCTION_H
#define KYMO_PLANREADFUNCTION_H

#include "patch/plan/plan.h"

/* Which of its functions, but for loops, an address of the file lies in: the index, or
 * function_count. */
uint64_t plan_function_at(const struct plan *plan, uint64_t address);

#endif
