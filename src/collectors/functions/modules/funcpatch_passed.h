/* Modules to skip: without a plan, or without a chosen function.  They are listed again whenever a
 * library is loaded, and this cache saves checking each again.
 * Context: init, or the loader's hook. */
#ifndef KYMO_FUNCPATCH_PASSED_H
#define KYMO_FUNCPATCH_PASSED_H

#include <stdbool.h>
#include <stdint.h>

/* hash stands for a module and what is asked of it.  Beyond the last of some hundreds they are
 * forgotten: such a module is looked at again. */
void funcpatch_pass(uint64_t hash);
bool funcpatch_is_passed(uint64_t hash);
/* What is asked for has changed. */
void funcpatch_pass_none(void);

#endif
