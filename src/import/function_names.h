/* Parses functions from the texts of other tools: name, file and line in one. */
#ifndef KYMO_FUNCTION_NAMES_H
#define KYMO_FUNCTION_NAMES_H

#include "import/imported.h"

/* "name (file:line)", "name (file.py)"; everything else is a name. */
void function_from_label(struct span label, struct imported_function *function);
/* "file:name:line" of austin; false if it has another form.  The line is the sampled one, not that
 * of the function, so it is left out. */
bool function_from_austin(struct span label, struct imported_function *function);
/* PYTHON for Python files, else NATIVE. */
enum kymo_region_kind function_kind(struct span file);

#endif
