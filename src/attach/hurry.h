/* While a process stands still for its text to be written, who works on that goes first: on a busy
 * machine it would stand still for as long as all others take their turns.
 *
 * As far as that is allowed; nothing depends on it.  The caller owns the struct.  One thread. */
#ifndef KYMO_HURRY_H
#define KYMO_HURRY_H

#include <stdbool.h>
#include <sys/types.h>

struct hurry {
	struct hurried {
		pid_t id;
		int nice; /* before */
		bool is_raised;
	} own, other;
	int slack_ns; /* of this thread before: how late its naps may end */
};

/* This thread, and another one, of any process. */
void hurry_begin(struct hurry *hurry, pid_t other);
void hurry_end(const struct hurry *hurry);

#endif
