/* kymo run --fork: wait for the program. */
#ifndef KYMO_RUN_WAIT_H
#define KYMO_RUN_WAIT_H

struct run_command;

/* Start it, wait for its end, write the outputs, and end with the same status or signal.  Returns
 * the exit status, or -1 with the errno value when it could not be started. */
int run_wait(const struct run_command *run, int *error);

#endif
