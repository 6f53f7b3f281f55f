/* Whether the outputs of a run are still to be written when the process has ended that would have
 * done it: it was killed, or had become a program that is not recorded.  One thread. */
#ifndef KYMO_FINISH_DUE_H
#define KYMO_FINISH_DUE_H

#include <stdbool.h>
#include <sys/types.h>

/* False where the process has left no recording in the directory, or one of its recordings says
 * that somebody has seen to it. */
bool finish_is_due(const char *directory, pid_t finisher);

#endif
