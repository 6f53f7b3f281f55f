/* The recording's file: its name in the run directory, its place while it is written.
 * The paths are session.recording and session.working.  Context: init. */
#ifndef KYMO_RECORDFILE_H
#define KYMO_RECORDFILE_H

#include <stdint.h>

/* Open the store in a new file that readers do not see yet.  0 or an errno value. */
int recordfile_create(uint64_t limit_bytes);
/* The header is complete: give the file its name, free for this process.  0 or an errno
 * value. */
int recordfile_publish(void);
/* The recording is closed: put it where it belongs, when it was written elsewhere. */
void recordfile_move(void);

#endif
