/* The functions of a file: what its symbol tables name, and what its unwind tables describe.
 * One thread; what is found belongs to the module. */
#ifndef KYMO_PATCHFUNCTIONS_H
#define KYMO_PATCHFUNCTIONS_H

#include "base/status.h"

struct patch_module;

/* The first step of the analysis: makes module.sweep and fills in module.functions, each with what
 * it is (patchclassify.h).  KYMO_OK, or KYMO_MEMORY or KYMO_FORMAT and one line in problem. */
enum kymo_status patchfunctions_find(struct patch_module *module, struct problem *problem);

#endif
