/* Recording the calls into libraries through their exported functions.
 * Context: init, or the loader's hook. */
#ifndef KYMO_FUNCPATCH_API_H
#define KYMO_FUNCPATCH_API_H

#include "collectors/functions/funcpatch.h"

struct funcpatch_module;

#define FUNCPATCH_PATTERN_MAX 512u

/* Find requested libraries that are not known yet, and record the calls into them. */
void funcpatch_api_scan(void);
/* Mark the functions of the library that have trampolines, once these are mapped. */
void funcpatch_api_mark(struct funcpatch_module *module);

#endif
