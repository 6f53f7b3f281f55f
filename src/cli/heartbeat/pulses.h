/* The processes of a run that live and record, and the time in their recordings' headers.
 *
 * A recording is attributed to a process only if that process maps it: the process id in its header
 * alone may be another process's, in a container or on another machine.  The caller owns the
 * struct; it is initialised to zeros and released with pulses_release().  Not thread-safe. */
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
	uint64_t identity; /* of the program in the process: changes at exec() */
};

struct pulses {
	struct pulse *items;
	size_t count, capacity;
	struct hashset seen; /* names of files that were inspected */
};

/* Add the recordings of directory that are new and open. */
void pulses_find(struct pulses *pulses, const char *directory);
/* Write the current time; drop recordings that were closed, or whose process has become another
 * program. */
void pulses_beat(struct pulses *pulses);
/* Write the survey of the process into its recording, if that is open. */
void pulses_write_survey(const struct pulses *pulses, uint32_t pid,
			 const struct kymo_survey *survey);
/* The descriptors to wait for, with `other` last.  Free with free(); NULL = out of memory. */
struct pollfd *pulses_poll(const struct pulses *pulses, int other);
/* Write the current time for those that have ended, according to poll(), and drop them. */
void pulses_end(struct pulses *pulses, const struct pollfd *polled);
void pulses_release(struct pulses *pulses);

#endif
