/* Who sees to the end of a run whose program cannot: it was killed, or became something that is
 * not recorded. */
#ifndef KYMO_RUN_WATCH_H
#define KYMO_RUN_WATCH_H

#include <stdbool.h>

struct run_command;

/* A terminal is to get the summary before its shell has it back. */
bool run_is_on_terminal(const struct run_command *run);

/* A process whose grandchild comes back to it would have a child that it does not know. */
bool run_is_subreaper(void);

/* Before this process becomes the program: have the run finished when that cannot do it. */
void run_watch(const struct run_command *run);

#endif
