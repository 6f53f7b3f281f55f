/* Blocking one signal while a system call of Kymo's may raise it, so that Kymo neither runs the
 * program's handler nor ends the program.  Context: thread (errno is kept). */
#ifndef KYMO_HELDSIGNAL_H
#define KYMO_HELDSIGNAL_H

#include <signal.h>
#include <stdbool.h>

struct held_signal {
	int number;
	bool was_pending; /* already before: the program's own, never discarded */
	sigset_t before;
};

void signal_hold(struct held_signal *held, int number);
/* is_raised: a call of Kymo raised it; it is discarded before the signal is unblocked. */
void signal_release(const struct held_signal *held, bool is_raised);

#endif
