/* Paths and trampolines of a plan of exported functions (planapi.h).  Context: any. */
#ifndef KYMO_PLANREAD_API_H
#define KYMO_PLANREAD_API_H

#include "patch/plan/plan.h"

/* BUILDID.COST.plan -> BUILDID.COST.HASH.api, in place, HASH that of the pattern.  False: too
 * long. */
bool planapi_path(char *path, size_t size, const char *pattern);

/* Address of a function's trampoline, in the file's address space as code_address is. */
uint64_t planapi_trampoline(const struct plan *plan, const struct plan_function *function);

#endif
