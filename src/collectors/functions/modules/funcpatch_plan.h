/* Plans and choices from the cache.  Context: init, or the loader's hook. */
#ifndef KYMO_FUNCPATCH_PLAN_H
#define KYMO_FUNCPATCH_PLAN_H

#include <stdbool.h>

#include "patch/plan/plan.h"

struct funcpatch_found;
struct funcpatch_module;

/* The kind of plans to use.  The exported functions of libraries are always called through. */
struct plan_kind funcpatch_kind(bool is_api);
/* Load plan and choice from the cache; returns the plan's descriptor, which the caller closes,
 * or -1 if there is none that fits. */
int funcpatch_plan_load(const struct funcpatch_found *found, struct funcpatch_module *out);
/* Unmap what belongs to a module's plan. */
void funcpatch_plan_release(struct funcpatch_module *module);

#endif
