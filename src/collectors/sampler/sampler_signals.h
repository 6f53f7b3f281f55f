/* The signals that sampling uses, and spare ones. */
#ifndef KYMO_SAMPLER_SIGNALS_H
#define KYMO_SAMPLER_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

/* A free signal, or the wanted one; 0 = not available.  Context: init. */
int sampler_signal_choose(int wanted);
/* Install the handler for the kinds that are on; false: for none.  Context: init. */
bool sampler_signals_install(void (*handler)(int, siginfo_t *, void *));
/* Leave a signal to the program, and use another one for its kind; no signal is pending, and no
 * other thread does this.  False: there is no other, or it is not sampling's. */
bool sampler_signal_give(int signal);

#endif
