/* The bounds of the work at the end of a run: the program's end does not wait indefinitely for
 * its output files, and they do not fill the disk, whatever is in the recordings.
 *
 * A process of its own does the work, the worker, for which its parent waits for a limited time;
 * then the parent prints a line and ends, and the worker continues in the background.  One
 * thread. */
#ifndef KYMO_FINISH_BOUNDS_H
#define KYMO_FINISH_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/settings.h"

typedef int (*finish_work_fn)(void *context);

/* The work's exit status; 0 if the wait timed out.  directory is for the message. */
int finish_bounded(finish_work_fn work, void *context, const char *directory);

/* In the worker, as soon as the settings of the run are known: the timeout, and the largest size of
 * a file.  recorded_bytes: of all recordings. */
void finish_bounds_set(const struct settings *settings, uint64_t recorded_bytes);

/* In the worker: nobody waits any more, and it must not write to the terminal. */
bool finish_is_in_background(void);

#endif
