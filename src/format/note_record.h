/* Writing a record of NOTES into zeroed memory.  Context: any. */
#ifndef KYMO_NOTE_RECORD_H
#define KYMO_NOTE_RECORD_H

#include <string.h>

#include "format/format.h"

/* Bytes of a note whose texts have these lengths. */
static inline size_t note_record_size(size_t key_length, size_t value_length)
{
	return (sizeof(struct kymo_note) + key_length + value_length + 2 + 7) & ~(size_t)7;
}

/* Lengths as measured; ticks: the time of the note. */
static inline void note_record_fill(struct kymo_note *note, enum kymo_note_kind kind,
				    const char *key, size_t key_length, const char *value,
				    size_t value_length, uint64_t ticks)
{
	note->size = (uint32_t)note_record_size(key_length, value_length);
	note->kind = (uint16_t)kind;
	note->key_length = (uint16_t)key_length;
	note->ticks = ticks;
	memcpy(note->text, key, key_length);
	memcpy(note->text + key_length + 1, value, value_length);
}

#endif
