/* Functions from the texts that other tools make of them: name, file and line in one. */
#ifndef KYMO_FUNCTION_NAMES_H
#define KYMO_FUNCTION_NAMES_H

#include "import/imported.h"

/* "name (file:line)", "name (file.py)"; all else is a name. */
void function_from_label(struct span label, struct imported_function *function);
/* "file:name:line" of austin; false where it is none.  The line is that which was seen, not where
 * the function begins, so it is left out. */
bool function_from_austin(struct span label, struct imported_function *function);
/* PYTHON for files of Python, else NATIVE. */
enum kymo_region_kind function_kind(struct span file);

#endif
