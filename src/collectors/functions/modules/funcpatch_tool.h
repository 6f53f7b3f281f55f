/* Running `kymo patch-plan`, and waiting for it.  Context: init, or the loader's hook. */
#ifndef KYMO_FUNCPATCH_TOOL_H
#define KYMO_FUNCPATCH_TOOL_H

#include <stdbool.h>
#include <stddef.h>

struct funcpatch_found;

#define FUNCPATCH_MAKE_MAX 32u /* modules at a time */
/* Run the command to make the missing plans, of at most FUNCPATCH_MAKE_MAX modules.  False: it
 * failed. */
bool funcpatch_plans_make(const struct funcpatch_found *found, size_t count);

#endif
