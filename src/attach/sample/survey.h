/* The files in which a process spends its time, sampled from outside: often enough to name the
 * largest, seldom enough to hardly slow the process.
 *
 * Running threads are stopped for a moment each, as for `kymo sample -p PID --native`; waiting ones
 * are not stopped.  Nothing is done for a process that runs only its own and the system's code, or
 * that may not be traced.  The caller owns the struct.  One thread; uses malloc. */
#ifndef KYMO_SURVEY_H
#define KYMO_SURVEY_H

#include "attach/sample/watch.h"

struct survey {
	pid_t pid; /* 0 = no process, any more */
	struct watch watch;
	bool is_open;
	char executable[4096]; /* the program's own file */
	uint64_t begun_ns, next_ns;
	uint64_t used_ns;	 /* CPU time of the process at the last observation */
	unsigned failures;	 /* consecutive observations that saw nothing at all */
	struct kymo_survey seen; /* so far, of the current program */
};

/* pid: 0 = none. */
void survey_begin(struct survey *survey, pid_t pid);
/* Time to the next observation, milliseconds; -1 = there is none. */
int survey_due_ms(const struct survey *survey);
/* Observe, if that is due.  True: seen has changed. */
bool survey_poll(struct survey *survey);
void survey_end(struct survey *survey);

#endif
