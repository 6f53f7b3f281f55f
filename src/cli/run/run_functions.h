/* Native functions under kymo run: what the collector has to be told, and programs that were
 * instrumented on disk. */
#ifndef KYMO_RUN_FUNCTIONS_H
#define KYMO_RUN_FUNCTIONS_H

#include <stdbool.h>

#include "base/status.h"

struct run_command;

/* Choose what the collector of native functions finds in its environment, where it is asked for.
 * KYMO_USAGE: a rule for choosing functions is wrong. */
enum kymo_status run_functions_choose(struct run_command *run, struct problem *problem);
/* A program that was instrumented on disk brings settings along, which then are to be read
 * again. */
enum kymo_status run_functions_copy(struct run_command *run, bool *is_copy,
				    struct problem *problem);

#endif
