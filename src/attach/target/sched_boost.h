/* A higher scheduling priority on a busy machine: for the threads that write the text of a stopped
 * process, which would otherwise stay stopped while others run, and for the thread that samples a
 * process at set times, since late samples are skipped.
 *
 * As far as permitted; nothing depends on it.  The caller owns the struct.  One thread. */
#ifndef KYMO_SCHED_BOOST_H
#define KYMO_SCHED_BOOST_H

#include <stdbool.h>
#include <sys/types.h>

#include "attach/target/target.h"

struct sched_boosted {
	pid_t id;
	int stat; /* file of the thread of another process, -1 = kymo's own */
	int nice; /* previous value */
	bool is_raised;
};

struct sched_boost {
	struct sched_boosted own, other;
	int slack_ns; /* previous timer slack of this thread */
};

/* This thread, and, if other is not 0, one of the target's, which otherwise may be NULL.  Its id
 * may have been supplied by the target: an id that is no thread of it is ignored. */
void sched_boost_begin(struct sched_boost *boost, const struct target *target, pid_t other);
void sched_boost_end(struct sched_boost *boost);

#endif
