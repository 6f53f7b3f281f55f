/* A higher scheduling priority on a busy machine: for the threads that write the text of a stopped
 * process, which would else stay stopped while all others take their turns, and for the thread that
 * samples a process at set times, since a late sample is left out.
 *
 * As far as that is permitted; nothing depends on it.  The caller owns the struct.  One thread. */
#ifndef KYMO_SCHED_BOOST_H
#define KYMO_SCHED_BOOST_H

#include <stdbool.h>
#include <sys/types.h>

#include "attach/target/target.h"

struct sched_boosted {
	pid_t id;
	int stat; /* file of the thread of another process, -1 = kymo's own */
	int nice; /* before */
	bool is_raised;
};

struct sched_boost {
	struct sched_boosted own, other;
	int slack_ns; /* of this thread before: how late its naps may end */
};

/* This thread, and, where other is not 0, one of the target's, which else may be NULL.  Its id may
 * be the word of the target itself: what is no thread of it is left alone. */
void sched_boost_begin(struct sched_boost *boost, const struct target *target, pid_t other);
void sched_boost_end(struct sched_boost *boost);

#endif
