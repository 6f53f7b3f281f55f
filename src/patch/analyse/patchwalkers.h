/* Files with functions whose stacks are walked by return addresses: by garbage collectors and
 * runtimes with a JIT.  Their return addresses have to remain as compiled. Any thread; after
 * patchfunctions_find(). */
#ifndef KYMO_PATCHWALKERS_H
#define KYMO_PATCHWALKERS_H

#include <stdbool.h>

struct patch_module;

bool patchwalkers_has_any(const struct patch_module *module);

#endif
