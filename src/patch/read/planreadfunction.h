/* The function of a plan that contains an address.  Context: any; uses only general registers, and
 * calls nothing of the C library. */
#ifndef KYMO_PLANREADFUNCTION_H
#define KYMO_PLANREADFUNCTION_H

#include "patch/plan/plan.h"

/* Which of its functions, loops excluded, contains an address of the file: the index, or
 * function_count. */
uint64_t plan_function_at(const struct plan *plan, uint64_t address);

#endif
