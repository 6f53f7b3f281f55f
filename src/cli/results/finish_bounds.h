/* The bounds of what is done at the end of a run: the program's end does not wait for ever for
 * its output files, and they do not fill the disk, whatever is in the recordings.
 *
 * The work is done by a process of its own, the worker, for which its parent waits so long and no
 * longer; it then says so and ends, and the worker goes on in the background.  One thread. */
#ifndef KYMO_FINISH_BOUNDS_H
#define KYMO_FINISH_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

#include "config/settings.h"

typedef int (*finish_work_fn)(void *context);

/* The work's exit status; 0 when nobody waits for it any more.  directory is for the line. */
int finish_bounded(finish_work_fn work, void *context, const char *directory);

/* In the worker, as soon as the settings of the run are known: how long is waited for it, and
 * how large a file may be.  recorded_bytes: of all recordings. */
void finish_bounds_set(const struct settings *settings, uint64_t recorded_bytes);

/* In the worker: nobody waits any more, the terminal is somebody else's again. */
bool finish_is_in_background(void);

#endif
