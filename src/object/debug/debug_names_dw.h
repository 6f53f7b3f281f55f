/* Full names of functions without a linkage name, such as lambdas and file-local functions:
 * composed of the namespaces, classes and functions that they are declared in. */
#ifndef KYMO_DEBUG_NAMES_DW_H
#define KYMO_DEBUG_NAMES_DW_H

struct debug_scope;
struct debug_scopes;

/* "shop::box<int>::each", from what a function is declared in; NULL = nothing in this unit.
 * Belongs to scopes. */
const char *debug_qualified_name(struct debug_scopes *scopes, struct debug_scope *scope);

#endif
