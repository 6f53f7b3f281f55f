/* Notes: what a reader should know besides numbers. */
#include "runtime/store/note.h"

#include <string.h>

#include "platform/ticks.h"
#include "format/note_record.h"
#include "runtime/lifecycle/session.h"
#include "runtime/runtime.h"
#include "runtime/store/store.h"

#define KEY_MAX	  1024u
#define VALUE_MAX 65536u

void note_write(enum kymo_note_kind kind, const char *key, const char *value)
{
	size_t key_length = strnlen(key, KEY_MAX), value_length = strnlen(value, VALUE_MAX);
	size_t size = note_record_size(key_length, value_length);
	struct kymo_note *note = store_append(KYMO_CHUNK_NOTES, size, 0, 0);

	if (!note)
		return;
	note_record_fill(note, kind, key, key_length, value, value_length, ticks_now());
	store_publish(KYMO_CHUNK_NOTES, size);
}

static void note_inherit_chunk(const struct kymo_chunk *chunk)
{
	const char *records = (const char *)(chunk + 1);

	for (uint64_t at = 0; at < chunk->used;) {
		const struct kymo_note *note = (const struct kymo_note *)(records + at);

		if (note->kind == KYMO_NOTE_INFO || note->kind == KYMO_NOTE_SETTING ||
		    note->kind == KYMO_NOTE_METRIC)
			note_write((enum kymo_note_kind)note->kind, note->text,
				   note->text + note->key_length + 1);
		at += note->size;
	}
}

void notes_inherit(const char *base, uint64_t end)
{
	for (uint64_t offset = KYMO_HEADER_SIZE; offset < end;) {
		const struct kymo_chunk *chunk = (const struct kymo_chunk *)(base + offset);

		if (chunk->type == KYMO_CHUNK_NOTES)
			note_inherit_chunk(chunk);
		offset += chunk->size;
	}
}

void kymo_note_add(enum kymo_note_kind kind, const char *key, const char *value)
{
	if (!session_ensure() || !store_lock())
		return;
	note_write(kind, key, value);
	store_unlock();
}
