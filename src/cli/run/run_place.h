/* The run that a program is recorded into. */
#ifndef KYMO_RUN_PLACE_H
#define KYMO_RUN_PLACE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"
#include "config/outputname.h"

struct run_command;
struct run_place;

/* Make the run's directory or join the run that this command is part of. */
enum kymo_status run_place_open(struct run_command *run, struct problem *problem);
/* What the names of the run's outputs are made of; belongs to run. */
struct output_context run_output_context(const struct run_command *run);
/* Take away what was made, as far as it is empty. */
void run_place_undo(const struct run_place *place);
/* No recording was written. */
bool run_place_is_empty(const char *directory);
/* Id of a process that is recording into the directory; 0 = none. */
pid_t run_place_writer(const char *directory);

#endif
