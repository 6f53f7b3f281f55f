/* What one recorded call costs, measured in this process with its own instrumenter. */
#ifndef KYMO_CALIBRATE_H
#define KYMO_CALIBRATE_H

/* Measure and pass the costs to the runtime; a few milliseconds.  Nothing of it enters the
 * recording.  Call while no collection runs.  No exception is left set. */
void calibrate(void);
/* Before the first collection: a first figure, for programs that are killed; about a millisecond.
 * Nothing is measured if the program already has several threads. */
void calibrate_early(void);

#endif
