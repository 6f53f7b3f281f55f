/* Starting `kymo finish`: shared by its two ways. */
#ifndef KYMO_FINISH_PROCESS_H
#define KYMO_FINISH_PROCESS_H

#include <stdbool.h>
#include <stddef.h>

#define FINISH_ENVIRONMENT_MAX 4096

/* Path of the command; false: not found.  Context: thread. */
bool finish_find_command(char *path, size_t size);
/* Copy the environment, without what is for the program only, into FINISH_ENVIRONMENT_MAX
 * entries. */
void finish_environment(char **copy);

/* Run `kymo finish` on the run directory and wait for it.  Context: thread. */
void finish_run_process(void);

#endif
