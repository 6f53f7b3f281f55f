/* What is done for the recordings of a run while somebody waits for its end: the time is kept in
 * them, by which it is known how long a process ran that is killed, and what the program works in
 * is looked at. One thread; uses malloc. */
#ifndef KYMO_HEARTBEAT_H
#define KYMO_HEARTBEAT_H

#include <sys/types.h>

/* Return when the process has ended that the descriptor (of pidfd_open()) is of.  Meanwhile the
 * recordings in directory have the time, also those of its children; at its end that moment.
 * surveyed: the process that is looked at (attach/sample/survey.h), 0 = none. */
void heartbeat_wait(const char *directory, int program, pid_t surveyed);

#endif
