/* The environment of the program. */
#ifndef KYMO_RUN_ENVIRONMENT_H
#define KYMO_RUN_ENVIRONMENT_H

#include "base/status.h"

struct run_command;

/* Put the settings, the run and the libraries into this process's environment. */
enum kymo_status run_environment_set(struct run_command *run, struct problem *problem);
/* Save the environment; print on standard error what differs from the saved one. */
void run_environment_remember(void);
void run_environment_show(const struct run_command *run);

#endif
