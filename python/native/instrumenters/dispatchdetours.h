/* Takes over and restores the functions by which the interpreter dispatches events.
 *
 * Their text is changed only while this thread holds the GIL and there is only one interpreter:
 * then no other thread can be in them.  While other interpreters exist, the text stays as it is.
 * Context: init, with the GIL held. */
#ifndef KYMO_DISPATCHDETOURS_H
#define KYMO_DISPATCHDETOURS_H

#include "instrumenters/dispatchfunctions.h"

#if DISPATCH_IS_KNOWN

/* The original functions; NULL = not taken over.  They stay valid. */
extern dispatch_fn dispatchdetours_original[DISPATCH_FUNCTIONS];

/* NULL, or why they cannot be taken over in this process, if known: constant text. */
const char *dispatchdetours_unavailable(void);
/* Direct their calls to functions; NULL = leave that one.  Call while no monitoring tool is
 * started: the first time, they are found and tested.  NULL, or why they were not taken over:
 * constant text. No exception is left. */
const char *dispatchdetours_write(const dispatch_fn functions[DISPATCH_FUNCTIONS]);
/* Restore them, unless that is impossible now: the targets then have to pass on all events. */
void dispatchdetours_take_back(void);

#endif

#endif
