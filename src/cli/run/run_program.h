/* Which file is run, and what is known of it in advance: one line if it cannot run, one if it can
 * run but not be recorded, with what is still possible. */
#ifndef KYMO_RUN_PROGRAM_H
#define KYMO_RUN_PROGRAM_H

struct problem;
struct run_command;

/* Find the program and determine whether it can run and be recorded.  0, or the exit status with
 * the problem. */
int run_program_find(struct run_command *run, struct problem *problem);

#endif
