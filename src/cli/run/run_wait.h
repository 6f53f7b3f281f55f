/* kymo run --fork: stay until the program has ended. */
#ifndef KYMO_RUN_WAIT_H
#define KYMO_RUN_WAIT_H

struct run_command;

/* Start it, stay until it ends, write the outputs, end as it did.  Returns the exit status,
 * or -1 with the errno value when it could not be started. */
int run_wait(const struct run_command *run, int *error);

#endif
