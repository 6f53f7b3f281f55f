/* The callees of a file's functions: direct calls, and calls through PLT stubs. One header, two
 * implementations: for x86-64, and an empty one for other processors. Context: init. */
#ifndef KYMO_FUNCTION_CALLS_H
#define KYMO_FUNCTION_CALLS_H

#include <stdbool.h>

#include "base/status.h"
#include "cli/instrument/function_rules.h"
#include "model/code/symbols.h"
#include "patch/plan/plan.h"

/* A bool per function of the plan: whether function_rules_is_callee() holds for a function that it
 * calls or jumps to.  The caller frees. */
enum kymo_status function_calls_find(const char *path, const struct plan *plan,
				     const struct function_rules *rules, struct symbols *symbols,
				     bool **calls_out, struct problem *problem);

#endif
