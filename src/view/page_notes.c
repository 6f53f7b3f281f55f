/* Section "notes": how the run was made, and notes of the recordings about themselves.
 *
 * info, settings, environment: pairs of key and value, of the root process; masked values are
 * "***".  warnings: problems of the recordings. */
#include "view/page_notes.h"

#include <stdlib.h>
#include <string.h>

#include "base/secret.h"
#include "config/settings.h"
#include "view/notes_recordings.h"
#include "view/page_out.h"

static const struct recording *notes_root_of(const struct page *page)
{
	return page->loaded->trees[0]->recording;
}

static void write_pair(struct json_writer *json, const char *key, const char *value, bool is_secret)
{
	json_line(json);
	json_begin_array(json);
	json_text(json, key);
	if (is_secret)
		json_text(json, *value ? SECRET_MASK : "");
	else
		json_text_masked(json, value);
	json_end_array(json);
}

static void write_pairs(const struct page *page, struct json_writer *json, const char *key,
			enum kymo_note_kind kind)
{
	const struct recording *recording = notes_root_of(page);

	json_key(json, key);
	json_begin_array(json);
	for (size_t i = 0; i < recording->note_count; i++) {
		const struct note *note = &recording->notes[i];
		bool is_secret = kind == KYMO_NOTE_ENVIRONMENT &&
				 secret_is_name(note->key, strlen(note->key));

		/* Arguments, one note each, are in the command, too. */
		if (note->kind == kind &&
		    (kind != KYMO_NOTE_INFO || strcmp(note->key, "argument") != 0))
			write_pair(json, note->key, note->value, is_secret);
	}
	json_end_array(json);
}

static void write_setting(struct json_writer *json, const struct note *note)
{
	int id = settings_find(note->key);

	json_line(json);
	json_begin_object(json);
	json_pair_text(json, "name", note->key);
	json_key(json, "value");
	json_text_masked(json, note->value);
	if (id >= 0) {
		json_pair_text(json, "default", setting_table[id].default_text);
		json_pair_text(json, "help", setting_table[id].help);
	}
	json_end_object(json);
}

static void notes_write_settings(const struct page *page, struct json_writer *json)
{
	const struct recording *recording = notes_root_of(page);

	json_key(json, "settings");
	json_begin_array(json);
	for (size_t i = 0; i < recording->note_count; i++) {
		if (recording->notes[i].kind == KYMO_NOTE_SETTING)
			write_setting(json, &recording->notes[i]);
	}
	json_end_array(json);
}

static void write_warning(struct json_writer *json, const struct recording *recording,
			  const char *kind, const char *area, const char *text)
{
	json_line(json);
	json_begin_object(json);
	if (recording)
		json_pair_count(json, "pid", recording->header.pid);
	json_pair_text(json, "kind", kind);
	json_pair_text(json, "area", area);
	json_key(json, "text");
	json_text_masked(json, text);
	json_end_object(json);
}

static void write_noted(struct json_writer *json, const struct recording *recording)
{
	for (size_t i = 0; i < recording->note_count; i++) {
		const struct note *note = &recording->notes[i];

		if (note->kind == KYMO_NOTE_WARNING)
			write_warning(json, recording, "warning", note->key, note->value);
		else if (note->kind == KYMO_NOTE_LOSS)
			write_warning(json, recording, "loss", note->key, note->value);
	}
	for (size_t i = 0; i < recording->problem_count; i++)
		write_warning(json, recording, "damage", "recording", recording->problems[i]);
}

static void write_warnings(const struct page *page, struct json_writer *json)
{
	const struct loaded_run *loaded = page->loaded;

	json_key(json, "warnings");
	json_begin_array(json);
	for (size_t i = 0; i < loaded->tree_count; i++)
		write_noted(json, loaded->trees[i]->recording);
	for (size_t i = 0; i < loaded->problem_count; i++)
		write_warning(json, NULL, "damage", "run", loaded->problems[i]);
	for (size_t i = 0; loaded->run && i < loaded->run->problem_count; i++)
		write_warning(json, NULL, "damage", "run", loaded->run->problems[i]);
	json_end_array(json);
}

/* Values that differed between the processes of a merged run: "kind count text". */
static void write_varied(struct json_writer *json, const struct note *note)
{
	char *rest;
	unsigned long kind = strtoul(note->value, &rest, 10);
	unsigned long long count = strtoull(rest, &rest, 10);
	const char *text = *rest == ' ' ? rest + 1 : rest;
	bool is_secret =
		kind == KYMO_NOTE_ENVIRONMENT && secret_is_name(note->key, strlen(note->key));

	json_line(json);
	json_begin_object(json);
	json_pair_text(json, "key", note->key);
	json_pair_count(json, "kind", kind);
	json_pair_count(json, "count", count);
	json_key(json, "text");
	json_text_masked(json, is_secret ? SECRET_MASK : text);
	json_end_object(json);
}

static void write_varies(const struct page *page, struct json_writer *json)
{
	const struct recording *recording = notes_root_of(page);

	json_key(json, "varies");
	json_begin_array(json);
	for (size_t i = 0; i < recording->note_count; i++) {
		if (recording->notes[i].kind == KYMO_NOTE_VARIES)
			write_varied(json, &recording->notes[i]);
	}
	json_end_array(json);
}

static void notes_write(const struct page *page, struct page_out *out)
{
	struct json_writer *json = page_json_begin(out, "notes");

	json_begin_object(json);
	write_pairs(page, json, "info", KYMO_NOTE_INFO);
	notes_write_settings(page, json);
	write_pairs(page, json, "environment", KYMO_NOTE_ENVIRONMENT);
	write_warnings(page, json);
	write_varies(page, json);
	page_notes_recordings(page, json);
	page_notes_modules(page, json);
	page_notes_metrics(page, json);
	json_end_object(json);
	page_json_end(out);
}

const struct page_section page_notes_section = {.write = notes_write};
