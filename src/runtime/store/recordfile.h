/* The recording's file: its name in the run directory, its location while it is written.  The
 * paths are session.recording and session.working.  Context: init. */
#ifndef KYMO_RECORDFILE_H
#define KYMO_RECORDFILE_H

#include <stdint.h>

/* Open the store in a new file that is hidden from readers.  0 or an errno value. */
int recordfile_create(uint64_t limit_bytes);
/* The header is complete: name the file, uniquely for this process.  0 or an errno value. */
int recordfile_publish(void);
/* The recording is closed: move it into the run directory, if it was written elsewhere. */
void recordfile_move(void);

#endif
