/* The notes of merged recordings: the texts of each key, and how many processes had each.
 *
 * Of a key with many texts, and of very many keys, the first in the order of texts are kept: so the
 * result does not depend on the order of adding.  One thread; uses malloc. */
#ifndef KYMO_MERGE_NOTES_H
#define KYMO_MERGE_NOTES_H

#include "writer/recording_writer.h"

#define MERGE_NOTE_TEXTS 8
#define MERGE_NOTE_KEYS	 4096

struct merge_note_text {
	char *text;
	uint64_t count;	 /* of processes */
	uint64_t serial; /* of the last counted recording */
};

struct merge_note {
	uint16_t kind;
	char *key;
	struct merge_note_text texts[MERGE_NOTE_TEXTS]; /* sorted */
	size_t count;
	bool has_more;
};

struct merge_notes {
	struct merge_note *items; /* by kind and key */
	size_t count, capacity;
	bool has_more;
	bool has_failed; /* no memory */
};

/* serial: of the recording, from 1 on: the same text counts once in each. */
void merge_notes_add(struct merge_notes *notes, enum kymo_note_kind kind, const char *key,
		     const char *text, uint64_t count, uint64_t serial);
/* Add those of a recording of so many processes. */
void merge_notes_read(struct merge_notes *notes, const struct recording *recording,
		      uint64_t process_count, uint64_t serial);
/* Write notes for a recording of so many processes. */
void merge_notes_write(const struct merge_notes *notes, struct recording_writer *maker,
		       uint64_t process_count);
void merge_notes_release(struct merge_notes *notes);

#endif
