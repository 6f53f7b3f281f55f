/* Notes by kind and key. */
#include "merge/merge_notes.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/partitionpoint.h"
#include "merge/merge_totals.h"

static int notes_compare_keys(const struct merge_note *note, uint16_t kind, const char *key)
{
	if (note->kind != kind)
		return note->kind < kind ? -1 : 1;
	return strcmp(note->key, key);
}

/* The index of the key, or where to insert it. */
static size_t notes_place_of(const struct merge_notes *notes, uint16_t kind, const char *key)
{
	size_t low = partition_point(notes->count, i,
				     notes_compare_keys(&notes->items[i], kind, key) < 0);

	return low;
}

static void note_release(struct merge_note *note)
{
	for (size_t i = 0; i < note->count; i++)
		free(note->texts[i].text);
	free(note->key);
}

static struct merge_note *note_for(struct merge_notes *notes, uint16_t kind, const char *key)
{
	size_t at = notes_place_of(notes, kind, key);
	struct merge_note *items;
	char *copy;

	if (at < notes->count && notes_compare_keys(&notes->items[at], kind, key) == 0)
		return &notes->items[at];
	if (at == MERGE_NOTE_KEYS) {
		notes->has_more = true;
		return NULL;
	}
	items = array_grow(notes->items, &notes->capacity, notes->count + 1, sizeof(*items));
	copy = items ? strdup(key) : NULL;
	if (items)
		notes->items = items;
	if (!copy) {
		notes->has_failed = true;
		return NULL;
	}
	if (notes->count == MERGE_NOTE_KEYS) {
		note_release(&items[--notes->count]);
		notes->has_more = true;
	}
	memmove(&items[at + 1], &items[at], (notes->count - at) * sizeof(*items));
	items[at] = (struct merge_note){.kind = kind, .key = copy};
	notes->count++;
	return &items[at];
}

static void text_insert(struct merge_notes *notes, struct merge_note *note, size_t at,
			const struct merge_note_text *from)
{
	char *copy = strdup(from->text);

	if (!copy) {
		notes->has_failed = true;
		return;
	}
	if (note->count == MERGE_NOTE_TEXTS) {
		free(note->texts[--note->count].text);
		note->has_more = true;
	}
	memmove(&note->texts[at + 1], &note->texts[at], (note->count - at) * sizeof(*note->texts));
	note->texts[at] = *from;
	note->texts[at].text = copy;
	note->count++;
}

static void notes_text_add(struct merge_notes *notes, struct merge_note *note,
			   const struct merge_note_text *from)
{
	size_t at = 0;

	while (at < note->count && strcmp(note->texts[at].text, from->text) < 0)
		at++;
	if (at < note->count && strcmp(note->texts[at].text, from->text) == 0) {
		if (note->texts[at].serial != from->serial)
			note->texts[at].count = merge_add(note->texts[at].count, from->count);
		note->texts[at].serial = from->serial;
	} else if (at == MERGE_NOTE_TEXTS) {
		note->has_more = true;
	} else {
		text_insert(notes, note, at, from);
	}
}

void merge_notes_add(struct merge_notes *notes, enum kymo_note_kind kind, const char *key,
		     const char *text, uint64_t count, uint64_t serial)
{
	struct merge_note *note = note_for(notes, (uint16_t)kind, key);
	const struct merge_note_text from = {(char *)(uintptr_t)text, count, serial};

	if (note)
		notes_text_add(notes, note, &from);
}

/* "KIND COUNT TEXT"; a count of 0: further texts of the key, or with kind 0 further keys, were left
 * out. */
static void read_varying(struct merge_notes *notes, const struct note *note, uint64_t serial)
{
	char *end;
	unsigned long kind = strtoul(note->value, &end, 10);
	unsigned long long count = *end == ' ' ? strtoull(end + 1, &end, 10) : 0;

	if (*end != ' ' || kind > UINT16_MAX || kind == KYMO_NOTE_VARIES)
		return;
	if (kind == 0) {
		notes->has_more = true;
	} else if (count > 0) {
		merge_notes_add(notes, (enum kymo_note_kind)kind, note->key, end + 1, count,
				serial);
	} else {
		struct merge_note *known = note_for(notes, (uint16_t)kind, note->key);

		if (known)
			known->has_more = true;
	}
}

/* Notes that are in the parts, are added up, or describe a merged recording. */
static bool notes_is_passed_over(const struct note *note, bool is_merged)
{
	static const char *const keys[] = {"program", "argument", "rank", "ranks", MERGE_NOTE};

	if (note->kind == KYMO_NOTE_METRIC)
		return true;
	if (is_merged && (note->kind == KYMO_NOTE_LOSS || note->kind == KYMO_NOTE_WARNING))
		return true;
	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (note->kind == KYMO_NOTE_INFO && strcmp(note->key, keys[i]) == 0)
			return true;
	return note->kind == KYMO_NOTE_INFO && merge_totals_has_note(note->key);
}

void merge_notes_read(struct merge_notes *notes, const struct recording *recording,
		      uint64_t process_count, uint64_t serial)
{
	bool is_merged = (recording->header.flags & KYMO_HEADER_MERGED) != 0;

	for (size_t i = 0; i < recording->note_count; i++) {
		const struct note *note = &recording->notes[i];

		if (note->kind == KYMO_NOTE_VARIES) {
			if (is_merged)
				read_varying(notes, note, serial);
		} else if (!notes_is_passed_over(note, is_merged)) {
			merge_notes_add(notes, note->kind, note->key, note->value, process_count,
					serial);
		}
	}
}

static void notes_write_text(const struct merge_note *note, const struct merge_note_text *text,
			     struct recording_writer *maker, uint64_t process_count)
{
	bool is_reported = note->kind == KYMO_NOTE_LOSS || note->kind == KYMO_NOTE_WARNING;
	bool is_shared = text->count == process_count && note->count == 1 && !note->has_more;
	char *line = NULL;

	if (is_shared && !is_reported) {
		recording_writer_note(maker, (enum kymo_note_kind)note->kind, note->key,
				      text->text);
		return;
	}
	if (asprintf(&line, "%u %" PRIu64 " %s", note->kind, text->count, text->text) >= 0)
		recording_writer_note(maker, KYMO_NOTE_VARIES, note->key, line);
	free(line);
	line = NULL;
	if (is_reported && process_count > 1 &&
	    asprintf(&line, "%s (%" PRIu64 " of %" PRIu64 " processes)", text->text, text->count,
		     process_count) < 0)
		line = NULL;
	if (is_reported)
		recording_writer_note(maker, (enum kymo_note_kind)note->kind, note->key,
				      line ? line : text->text);
	free(line);
}

void merge_notes_write(const struct merge_notes *notes, struct recording_writer *maker,
		       uint64_t process_count)
{
	char more[32];

	for (size_t i = 0; i < notes->count; i++) {
		const struct merge_note *note = &notes->items[i];

		for (size_t k = 0; k < note->count; k++)
			notes_write_text(note, &note->texts[k], maker, process_count);
		if (!note->has_more)
			continue;
		snprintf(more, sizeof(more), "%u 0 ", note->kind);
		recording_writer_note(maker, KYMO_NOTE_VARIES, note->key, more);
	}
	if (notes->has_more)
		recording_writer_note(maker, KYMO_NOTE_VARIES, "", "0 0 ");
}

void merge_notes_release(struct merge_notes *notes)
{
	for (size_t i = 0; i < notes->count; i++)
		note_release(&notes->items[i]);
	free(notes->items);
	*notes = (struct merge_notes){0};
}
