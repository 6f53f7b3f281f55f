/* Giving annotated objects the table of functions: see <kymo/abi.h>. */
#ifndef KYMO_USERBIND_H
#define KYMO_USERBIND_H

#include "kymo/abi.h"
#include "runtime/runtime.h"

/* The runtime is open: set the slots of all loaded objects, and make this library's symbols
 * visible to those loaded later.  Context: init. */
void userbind_open(void);

/* The table, for lookups by name; NULL if the versions differ or the runtime is not open.
 * Context: any. */
KYMO_EXPORT const struct kymo_api *kymo_api_get(unsigned version);

#endif
