/* The run that a program is recorded into. */
#ifndef KYMO_RUN_FOLDER_H
#define KYMO_RUN_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/status.h"
#include "config/outputname.h"

struct run_command;
struct run_folder;

/* Make the run's directory or join the run that this command is part of. */
enum kymo_status run_folder_open(struct run_command *run, struct problem *problem);
/* The context for the names of the run's outputs; belongs to run. */
struct output_context run_output_context(const struct run_command *run);
/* Remove the folders that were made, if they are empty. */
void run_folder_undo(const struct run_folder *folder);
/* No recording was written. */
bool run_folder_is_empty(const char *directory);
/* Id of a process that is recording into the directory; 0 = none. */
pid_t run_folder_writer(const char *directory);

#endif
