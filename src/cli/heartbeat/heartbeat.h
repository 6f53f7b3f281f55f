/* Work for the recordings of a run while a process waits for its end: it keeps the current time in
 * them, so that the duration of a killed process is known, and samples which libraries the program
 * works in. One thread; uses malloc. */
#ifndef KYMO_HEARTBEAT_H
#define KYMO_HEARTBEAT_H

#include <sys/types.h>

/* Return when the process has ended that the descriptor (of pidfd_open()) is of.  Meanwhile the
 * recordings in directory have the time, also those of its children; at its end that moment.
 * surveyed: the process that is looked at (attach/sample/survey.h), 0 = none. */
void heartbeat_wait(const char *directory, int program, pid_t surveyed);

#endif
