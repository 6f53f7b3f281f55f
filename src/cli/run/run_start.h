/* Becoming the program, and putting this command into the command of a launcher. */
#ifndef KYMO_RUN_START_H
#define KYMO_RUN_START_H

#include "base/status.h"

struct run_command;

/* Put 'kymo run' in front of the argument that the launcher starts. */
enum kymo_status run_launcher_insert(struct run_command *run, char **argv, struct problem *problem);

/* Become the program.  Returns the errno value of the failure. */
int run_exec(const struct run_command *run);

#endif
