/* Executing the program, and inserting this command into a launcher's command line. */
#ifndef KYMO_RUN_START_H
#define KYMO_RUN_START_H

#include "base/status.h"

struct run_command;

/* Insert 'kymo run' before the argument that the launcher starts. */
enum kymo_status run_launcher_insert(struct run_command *run, char **argv, struct problem *problem);

/* Replace this process by the program.  Returns the errno value of the failure. */
int run_exec(const struct run_command *run);

#endif
