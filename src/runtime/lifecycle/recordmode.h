/* What the session's settings ask for, checked, and as a mode of recording.  Context: init. */
#ifndef KYMO_RECORDMODE_H
#define KYMO_RECORDMODE_H

struct problem;

/* 0, or KYMO_USAGE with the problem: what one of them says is wrong, or does not go with the
 * others. Of values that come from the environment there is a warning in place of that, and they
 * have no effect. */
int recordmode_check(struct problem *problem);
/* KYMO_MODE_*, without METRICS, which the recording decides. */
unsigned recordmode_of_settings(void);

#endif
