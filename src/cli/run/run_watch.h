/* Finishing a run whose program cannot do it: it was killed, or became something that is not
 * recorded. */
#ifndef KYMO_RUN_WATCH_H
#define KYMO_RUN_WATCH_H

#include <stdbool.h>

struct run_command;

/* The summary must be printed before the shell has the terminal back. */
bool run_is_on_terminal(const struct run_command *run);

/* Orphans are reparented to this process: a grandchild would become a child that the program does
 * not know. */
bool run_is_subreaper(void);

/* Before this process becomes the program: start a process that finishes the run if the program
 * cannot. */
void run_watch(const struct run_command *run);

#endif
