/* Work on the recordings of a run while a process waits for the run's end: writes the current time
 * to them, so that the duration of a killed process is known, and samples in which libraries the
 * program works.  One thread; uses malloc. */
#ifndef KYMO_HEARTBEAT_H
#define KYMO_HEARTBEAT_H

#include <sys/types.h>

/* Returns when the process of the descriptor (of pidfd_open()) has ended.  Until then writes the
 * time to the recordings in directory, including those of its children, and at its end that moment.
 * surveyed: the process that is sampled (attach/sample/survey.h), 0 = none. */
void heartbeat_wait(const char *directory, int program, pid_t surveyed);

#endif
