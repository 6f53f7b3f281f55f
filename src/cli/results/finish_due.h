/* Whether the outputs of a run are still to be written after the end of the process that should
 * have done it: it was killed, or had become a program that is not recorded.  One thread. */
#ifndef KYMO_FINISH_DUE_H
#define KYMO_FINISH_DUE_H

#include <sys/types.h>

enum finish_due {
	FINISH_DUE,
	FINISH_DONE,	/* one of the process's recordings is marked as finished */
	FINISH_NOTHING, /* the process has left no recording */
};

enum finish_due finish_find_due(const char *directory, pid_t finisher);

#endif
