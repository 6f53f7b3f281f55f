/* The functions of a file, from its symbol tables and its unwind tables. One thread; results belong
 * to the module. */
#ifndef KYMO_PATCHFUNCTIONS_H
#define KYMO_PATCHFUNCTIONS_H

#include "base/status.h"

struct patch_module;

/* The first step of the analysis: creates module.sweep and fills in module.functions, classified
 * (patchclassify.h).  KYMO_OK, or KYMO_MEMORY or KYMO_FORMAT and one line in problem. */
enum kymo_status patchfunctions_find(struct patch_module *module, struct problem *problem);

#endif
