/* kymo attach --functions: the native functions of a running program. */
#ifndef KYMO_ATTACH_FUNCTIONS_H
#define KYMO_ATTACH_FUNCTIONS_H

#include <limits.h>
#include <signal.h>

#include "cli/attach/attach_options.h"

/* Instrument, wait, restore.  directory: of the run, as soon as there is one, "" before.  Returns
 * an exit status; the caller writes the outputs. */
int attach_functions(const struct attach_request *request, const volatile sig_atomic_t *must_stop,
		     char directory[PATH_MAX]);

#endif
