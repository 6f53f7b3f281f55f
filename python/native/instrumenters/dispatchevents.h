/* Recording of monitoring events in place of the interpreter's functions that dispatch them.
 *
 * An event is taken if Kymo is its only tool at that location, and its interpreter, thread and code
 * are recorded: the original would only call Kymo's callback.  All other events are passed to the
 * original.
 * Context: hook, with the GIL held. */
#ifndef KYMO_DISPATCHEVENTS_H
#define KYMO_DISPATCHEVENTS_H

#include "instrumenters/dispatchfunctions.h"

#if DISPATCH_IS_KNOWN

struct dispatch {
	PyInterpreterState *interpreter; /* the recorded one; NULL = no event is taken */
	unsigned tool;			 /* Kymo's bit */
};

extern struct dispatch dispatch;

/* The targets for the interpreter's functions, by KYMO_MODE_* bits.  with_c: also for C functions.
 */
void dispatchevents_functions(unsigned mode, bool with_c, dispatch_fn out[DISPATCH_FUNCTIONS]);

#endif

#endif
