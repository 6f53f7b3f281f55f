/* Processes that look at the program from outside while it runs. */
#ifndef KYMO_RUN_OBSERVER_H
#define KYMO_RUN_OBSERVER_H

#include <stdbool.h>
#include <sys/types.h>

#include "cli/run/run_command.h"

/* Its functions are recorded, and nothing else tells in which libraries it works. */
bool run_is_surveyed(const struct run_command *run);

/* Fork a process that is nobody's child and in a session of its own; its signals are as here.  Its
 * id, 0 in it, -1 = none. */
pid_t run_observer_fork(void);
/* It may look into this process, and the program that takes its place, where only parents may
 * (Yama). */
void run_observer_allow(pid_t observer);

/* Who looks at a program that this process is to wait for, in which libraries it works. */
struct run_surveyor {
	pid_t id; /* 0 or less = there is none */
	int to;	  /* whom to look at; -1 = nothing to be told any more */
};
void run_surveyor_begin(const struct run_command *run, struct run_surveyor *surveyor);
/* The program's process; 0 or less: there is none. */
void run_surveyor_start(struct run_surveyor *surveyor, pid_t program);

#endif
