/* Modules to skip: without a plan, or without a chosen function.  They are listed again whenever a
 * library is loaded, and this cache saves checking each again.
 * Context: init, or the loader's hook. */
#ifndef KYMO_FUNCPATCH_SKIPPED_H
#define KYMO_FUNCPATCH_SKIPPED_H

#include <stdbool.h>
#include <stdint.h>

/* hash identifies a module and the request for it.  At most some hundreds are stored; a module
 * that is dropped is checked again. */
void funcpatch_skip(uint64_t hash);
bool funcpatch_is_skipped(uint64_t hash);
/* The request has changed: skip none. */
void funcpatch_skip_none(void);

#endif
