/* The life of a process and of its threads: what the exported wrappers call.
 * Everything here is hidden in libkymo-life.so. */
#ifndef KYMO_LIFE_H
#define KYMO_LIFE_H

/* life_exit.c: the process is about to end without running exit handlers. */
void life_ending(int status);
/* Register what runs when the process ends in order.  Context: init. */
void life_follow_exit(void);

#endif
