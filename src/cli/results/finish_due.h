/* Whether the outputs of a run are still to be written when the process has ended that would have
 * done it: it was killed, or had become a program that is not recorded.  One thread. */
#ifndef KYMO_FINISH_DUE_H
#define KYMO_FINISH_DUE_H

#include <sys/types.h>

enum finish_due {
	FINISH_DUE,
	FINISH_DONE,	/* one of the process's recordings says that somebody has seen to it */
	FINISH_NOTHING, /* the process has left no recording */
};

enum finish_due finish_find_due(const char *directory, pid_t finisher);

#endif
