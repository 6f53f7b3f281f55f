/* Keeping the time in the recordings of a run while somebody waits for its end: how long a process
 * ran that is killed is known by it.  One thread. */
#ifndef KYMO_HEARTBEAT_H
#define KYMO_HEARTBEAT_H

/* Return when the process has ended that the descriptor (of pidfd_open()) is of.  Meanwhile the
 * recordings in directory have the time, also those of its children; at its end that moment. */
void heartbeat_wait(const char *directory, int program);

#endif
