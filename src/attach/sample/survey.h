/* Which files the time of a process goes to, by looks from outside: often enough to name the
 * largest, so seldom that the process is hardly held up.
 *
 * Threads that work are stopped for a moment each, as for `kymo sample -p PID --native`; those that
 * wait are left alone, and so is a process all of whose code is its own and the system's, or that
 * may not be looked at.  The caller owns the struct.  One thread; uses malloc. */
#ifndef KYMO_SURVEY_H
#define KYMO_SURVEY_H

#include "attach/sample/watch.h"

struct survey {
	pid_t pid; /* 0 = nobody is looked at, any more */
	struct watch watch;
	bool is_open;
	char executable[4096]; /* the program's own file */
	uint64_t begun_ns, next_ns;
	uint64_t used_ns;	 /* of processors by the process, when it was looked at last */
	unsigned failures;	 /* looks that saw nothing at all, one behind the other */
	struct kymo_survey seen; /* so far, of the program that runs now */
};

/* pid: 0 = nobody. */
void survey_begin(struct survey *survey, pid_t pid);
/* Until the next look, milliseconds; -1 = there is none. */
int survey_due_ms(const struct survey *survey);
/* Look, if that is due.  True: seen has changed. */
bool survey_look(struct survey *survey);
void survey_end(struct survey *survey);

#endif
