/* Opening a recording. */
#ifndef KYMO_RECORDING_OPEN_H
#define KYMO_RECORDING_OPEN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "format/format.h"

struct recording;

/* Open path; another user's file is refused (base/owner.h).  On failure *out is untouched and
 * problem has the line. */
enum kymo_status recording_open(const char *path, struct recording **out, struct problem *problem);
/* As recording_open(), over bytes the caller keeps alive (tests, fuzzing). */
enum kymo_status recording_open_bytes(const void *data, size_t size, struct recording **out,
				      struct problem *problem);
void recording_free(struct recording *recording);
/* Drop the pages read so far from memory: they are read again when needed. */
void recording_drop_pages(const struct recording *recording);

/* Value of the last note of that kind and key, NULL when there is none. */
const char *recording_note(const struct recording *recording, enum kymo_note_kind kind,
			   const char *key);

/* The content can only be this user's or root's: it is their file, and not made of others' data by
 * an import or a merge. */
bool recording_is_own(const struct recording *recording);

/* Base name of the program or script ("example.py"), never NULL. */
const char *recording_program(const struct recording *recording);

/* There are events, or records of individual calls: a trace of some thread. */
bool recording_has_trace(const struct recording *recording);
/* Number of event words in the recording's event chunks. */
uint64_t recording_event_words(const struct recording *recording);

/* Points of all series in file order: *index begins at 0 and is advanced, its values are opaque;
 * false at the end. */
bool recording_point(const struct recording *recording, uint64_t *index, struct kymo_point *out);

#endif
