/* Which functions of a file have an instruction that the rules exclude, by its text.
 * Context: init. */
#ifndef KYMO_FUNCTION_INSTRUCTIONS_H
#define KYMO_FUNCTION_INSTRUCTIONS_H

#include <stdbool.h>

#include "base/status.h"
#include "cli/instrument/function_rules.h"
#include "patch/plan/plan.h"

/* A bool per function of the plan: whether function_rules_is_instruction() holds for one of its
 * instructions.  The caller frees. */
enum kymo_status function_instructions_find(const char *path, const struct plan *plan,
					    const struct function_rules *rules, bool **has_out,
					    struct problem *problem);

#endif
