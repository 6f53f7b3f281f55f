/* Starting `kymo finish`: the common part of its two ways. */
#ifndef KYMO_FINISHING_H
#define KYMO_FINISHING_H

#include <stdbool.h>
#include <stddef.h>

#define FINISHING_ENVIRONMENT_MAX 4096

/* Path of the command; false: there is none.  Context: thread. */
bool finishing_find_tool(char *path, size_t size);
/* The environment without what is for the program only, into FINISHING_ENVIRONMENT_MAX entries. */
void finishing_environment(char **copy);

/* Run `kymo finish` on the run directory and wait for it.  Context: thread. */
void finishing_run(void);

#endif
