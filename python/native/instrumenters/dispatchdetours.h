/* The functions of the interpreter that dispatch events, taken over and given back.
 *
 * Their text changes while this thread holds the lock of the only interpreter that there is:
 * whoever runs in them holds that lock, so nobody does.  Beside other interpreters it stays as it
 * is, taken over or not. Context: init, with the GIL held. */
#ifndef KYMO_DISPATCHDETOURS_H
#define KYMO_DISPATCHDETOURS_H

#include "instrumenters/dispatchfunctions.h"

#if DISPATCH_IS_KNOWN

/* Do what the functions did, for ever; NULL = that one cannot be taken over. */
extern dispatch_fn dispatchdetours_original[DISPATCH_FUNCTIONS];

/* NULL, or why they can never be taken over, as far as that is known: constant text. */
const char *dispatchdetours_unavailable(void);
/* Calls go to functions; NULL = those of one stay.  The first time that is tried, while no
 * monitoring tool is started.  NULL, or why they go on as they were: constant text.  No exception
 * is left. */
const char *dispatchdetours_write(const dispatch_fn functions[DISPATCH_FUNCTIONS]);
/* What cannot be given back now is left: what is called then has to hand all on. */
void dispatchdetours_take_back(void);

#endif

#endif
