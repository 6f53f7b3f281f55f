/* Giving annotated objects the table of functions: see <kymo/abi.h>. */
#ifndef KYMO_USERBIND_H
#define KYMO_USERBIND_H

#include "kymo/abi.h"
#include "runtime/runtime.h"

/* The runtime is open: set the slots of all objects that are loaded, and make this library
 * visible to those that come.  Context: init. */
void userbind_open(void);

/* The table, for what looks it up by name; NULL when the versions differ or the runtime is
 * not open.  Context: any. */
KYMO_EXPORT const struct kymo_api *kymo_api_get(unsigned version);

#endif
