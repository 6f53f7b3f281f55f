/* Native functions under kymo run: settings for the collector, and programs that were instrumented
 * on disk. */
#ifndef KYMO_RUN_FUNCTIONS_H
#define KYMO_RUN_FUNCTIONS_H

#include <stdbool.h>

#include "base/status.h"

struct run_command;

/* Set the environment of the collector of native functions, if it is enabled. KYMO_USAGE: a rule
 * for choosing functions is invalid. */
enum kymo_status run_functions_choose(struct run_command *run, struct problem *problem);
/* A program that was instrumented on disk contains settings; if so, the settings must be read
 * again. */
enum kymo_status run_functions_copy(struct run_command *run, bool *is_copy,
				    struct problem *problem);

#endif
