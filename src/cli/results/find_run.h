/* The newest run below a directory, for commands that are given none. */
#ifndef KYMO_FIND_RUN_H
#define KYMO_FIND_RUN_H

#include "base/status.h"

/* Path of the directory that holds the newest recording at most FIND_RUN_DEPTH levels
 * below the working directory; the caller frees. */
#define FIND_RUN_DEPTH 3
enum kymo_status find_run(char **path_out, struct problem *problem);

#endif
