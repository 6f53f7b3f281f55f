/* The outputs of a program that cannot start `kymo finish` itself: a process outside of it does. */
#ifndef KYMO_FINISH_OUTSIDE_H
#define KYMO_FINISH_OUTSIDE_H

/* Leave finishing to a separate process, started now, which waits for this one's end: then
 * nothing more is to be done here.  Does nothing if it cannot be started, or nothing is to be
 * finished. */
void finish_outside_start(void);
/* Start a process that waits for this one's end, and finishes the run if this one has not. */
void finish_outside_watch(void);

#endif
