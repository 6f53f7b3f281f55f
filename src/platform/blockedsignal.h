/* Blocking one signal while a system call of Kymo's may raise it, so that Kymo neither runs the
 * program's handler nor ends the program.  Context: thread (errno is kept). */
#ifndef KYMO_BLOCKEDSIGNAL_H
#define KYMO_BLOCKEDSIGNAL_H

#include <signal.h>
#include <stdbool.h>

struct blocked_signal {
	int number;
	bool was_pending; /* already before: the program's own, never discarded */
	sigset_t before;
};

void signal_block(struct blocked_signal *held, int number);
/* is_raised: a call of Kymo raised it; it is discarded before the signal is unblocked. */
void signal_unblock(const struct blocked_signal *held, bool is_raised);

#endif
