/* Processes that observe the program from outside while it runs. */
#ifndef KYMO_RUN_OBSERVER_H
#define KYMO_RUN_OBSERVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/run/run_command.h"

/* Its functions are recorded, and nothing else shows in which libraries it spends its time. */
bool run_is_surveyed(const struct run_command *run);

/* Fork a process that is not a child of this one, in a session of its own, with the same signal
 * handling.  Its id; 0 in that process, -1 = none. */
pid_t run_observer_fork(void);
/* Allow it to trace this process, and the program that replaces it, where only parents may
 * (Yama). */
void run_observer_allow(pid_t observer);

/* The process that samples in which libraries a program works for which this process waits. */
struct run_surveyor {
	pid_t id; /* 0 or less = none */
	int to;	  /* pipe on which the process id is sent; -1 = closed */
};
void run_surveyor_begin(const struct run_command *run, struct run_surveyor *surveyor);
/* program: the program's process id; 0 or less: there is none. */
void run_surveyor_start(struct run_surveyor *surveyor, pid_t program);

#endif
