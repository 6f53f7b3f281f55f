/* Files with functions whose stacks something walks by their return addresses: garbage collectors,
 * runtimes that make code.  Their return addresses have to stay as the compiler left them.
 * Any thread; after patchfunctions_find(). */
#ifndef KYMO_PATCHWALKERS_H
#define KYMO_PATCHWALKERS_H

#include <stdbool.h>

struct patch_module;

bool patchwalkers_has_any(const struct patch_module *module);

#endif
