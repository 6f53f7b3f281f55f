/* The signals that sampling takes, and some to spare. */
#ifndef KYMO_SAMPLER_SIGNALS_H
#define KYMO_SAMPLER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* A free one, or the one that is wanted; 0 = it cannot be had.  Context: init. */
int sampler_signal_choose(int wanted);
/* Install the handler for the kinds that are on; false: for none.  Context: init. */
bool sampler_signals_install(void (*handler)(int, siginfo_t *, void *));
/* Let the program have one, and its kind take another; no signal is under way, and nobody
 * else does this.  False: there is no other, or it is not ours. */
bool sampler_signal_give(int signal);

#endif
