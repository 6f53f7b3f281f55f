/* The newest run below a directory, for commands that are given none. */
#ifndef KYMO_FIND_RUN_H
#define KYMO_FIND_RUN_H

#include "base/status.h"
#include "cli/options/options.h"

/* Path of the directory with the newest recording at most FIND_RUN_DEPTH levels below the working
 * directory. */
#define FIND_RUN_DEPTH 3
enum kymo_status find_run(char **path_out, struct problem *problem);

/* The run that was given, else the newest. */
enum kymo_status find_run_or_newest(const char *given, char **path_out, struct problem *problem);

/* The arguments of a command that takes one run at most: *given = the run, or NULL. */
enum options_result find_run_take(int argc, char **argv, const char **given,
				  struct problem *problem);

#endif
