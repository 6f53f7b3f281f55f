/* Which file is run, and what is known of it before: one line where it cannot run, one where it
 * can but not be recorded, with what still is possible. */
#ifndef KYMO_RUN_PROGRAM_H
#define KYMO_RUN_PROGRAM_H

struct problem;
struct run_command;

/* Find the program and see whether it can run and be recorded.  0, or the exit status with
 * the problem. */
int run_program_find(struct run_command *run, struct problem *problem);

#endif
