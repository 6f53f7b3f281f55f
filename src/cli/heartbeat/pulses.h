/* The processes of a run that live and record, and the time in their recordings' headers.
 *
 * A recording belongs to a process here when that maps it: its header's process id alone may be
 * another's, in a container or on another machine.  The caller owns the struct; it begins as
 * zeros and ends with pulses_release().  Not thread-safe. */
#ifndef KYMO_PULSES_H
#define KYMO_PULSES_H

#include <stddef.h>
#include <stdint.h>

#include "base/hashset.h"

struct kymo_survey;
struct pollfd;

struct pulse {
	int file;    /* the recording */
	int process; /* pidfd_open() of the process */
	uint32_t pid;
	uint64_t identity; /* of the program in the process: another one after exec() */
};

struct pulses {
	struct pulse *items;
	size_t count, capacity;
	struct hashset seen; /* names of files that were looked at */
};

/* Take up recordings of directory that were not seen yet and are open. */
void pulses_find(struct pulses *pulses, const char *directory);
/* Write the present moment; let go of those that were closed, or whose process is another program
 * now. */
void pulses_beat(struct pulses *pulses);
/* Write what was seen of the process into its recording, where that is open. */
void pulses_tell(const struct pulses *pulses, uint32_t pid, const struct kymo_survey *survey);
/* What to wait for: a descriptor each, and last `other`.  Free with free(); NULL = no memory. */
struct pollfd *pulses_poll(const struct pulses *pulses, int other);
/* Write the present moment for those that have ended, by what poll() said of these, and let go of
 * them. */
void pulses_end(struct pulses *pulses, const struct pollfd *polled);
void pulses_release(struct pulses *pulses);

#endif
