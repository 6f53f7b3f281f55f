/* The outputs of a program that cannot start `kymo finish` itself: a process outside of it does. */
#ifndef KYMO_FINISH_OUTSIDE_H
#define KYMO_FINISH_OUTSIDE_H

/* Leave that to a process of its own, started now, which waits for this one's end: nothing more
 * is to be done here.  Where it cannot be started, and nothing is to be finished: nothing. */
void finish_outside_start(void);
/* Start a process that waits for this one's end, and does what this one then has not done. */
void finish_outside_watch(void);

#endif
