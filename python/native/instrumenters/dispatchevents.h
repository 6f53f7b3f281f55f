/* Monitoring events as the interpreter dispatches them, taken in its functions' place.
 *
 * An event is taken where it is for one tool alone, ours, of the interpreter that is recorded, and
 * of code that is recorded: then nothing that the original does can be seen but the call of our
 * callback.  All others are the original's, which calls the callbacks of all tools as ever.
 * Context: hook, with the GIL held. */
#ifndef KYMO_DISPATCHEVENTS_H
#define KYMO_DISPATCHEVENTS_H

#include "instrumenters/dispatchfunctions.h"

#if DISPATCH_IS_KNOWN

/* What each event asks for, in as few lines of the cache as can be. */
struct dispatch {
	PyInterpreterState *interpreter; /* whose events are taken; NULL = nobody's */
	unsigned tool;			 /* its bit */
};

extern struct dispatch dispatch;

/* To be called in place of the interpreter's, for KYMO_MODE_* bits.  with_c: C functions, too. */
void dispatchevents_functions(unsigned mode, bool with_c, dispatch_fn out[DISPATCH_FUNCTIONS]);

#endif

#endif
