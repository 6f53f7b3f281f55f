/* Differences between the first recordings of both sides: the program, its environment and machine,
 * whether calls or samples were recorded, and the settings that change what is measured. */
#include "model/compare/diff_settings.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/basename.h"
#include "base/text/textbuf.h"
#include "base/text/utf8.h"
#include "config/settings.h"
#include "model/recording/recording_open.h"
#include "text/cells.h"

#define DIFFERENCES_MAX 6
#define VALUE_CELLS	48

struct comparison {
	const struct recording *recording[DIFF_SIDES];
	struct textbuf text;
	size_t count;
};

/* Add a value: "none" if empty, on one line, and shortened. */
static void settings_add_value(struct comparison *comparison, const char *value)
{
	char clean[16 * VALUE_CELLS];
	size_t length;

	utf8_clean(value && *value ? value : "none", clean, sizeof(clean));
	length = cells_cut(clean, VALUE_CELLS);
	textbuf_format(&comparison->text, "%.*s%s", (int)length, clean, clean[length] ? ".." : "");
}

static void settings_compare(struct comparison *comparison, const char *what, const char *before,
			     const char *after)
{
	if (!before || !after || strcmp(before, after) == 0 ||
	    comparison->count++ >= DIFFERENCES_MAX)
		return;
	textbuf_format(&comparison->text, "%s%s ", comparison->count > 1 ? "; " : "", what);
	settings_add_value(comparison, before);
	textbuf_text(&comparison->text, " and ");
	settings_add_value(comparison, after);
}

static void compare_notes(struct comparison *comparison, const char *what, const char *key)
{
	settings_compare(comparison, what,
			 path_base_name(recording_note(comparison->recording[DIFF_BEFORE],
						       KYMO_NOTE_INFO, key)),
			 path_base_name(recording_note(comparison->recording[DIFF_AFTER],
						       KYMO_NOTE_INFO, key)));
}

/* Settings that change what is measured, not output paths or formats. */
static bool is_of_measuring(const struct setting_row *row)
{
	static const char *const categories[] = {"collection", "sampling", "counters", "python"};

	if (strstr(row->categories, "internal"))
		return false;
	for (size_t i = 0; i < sizeof(categories) / sizeof(*categories); i++) {
		if (strstr(row->categories, categories[i]))
			return true;
	}
	return false;
}

static void compare_settings(struct comparison *comparison)
{
	for (int id = 0; id < SETTING_COUNT; id++) {
		const struct setting_row *row = &setting_table[id];

		if (!is_of_measuring(row))
			continue;
		settings_compare(comparison, row->name,
				 recording_note(comparison->recording[DIFF_BEFORE],
						KYMO_NOTE_SETTING, row->name),
				 recording_note(comparison->recording[DIFF_AFTER],
						KYMO_NOTE_SETTING, row->name));
	}
}

enum kymo_status diff_settings_compare(const struct diff_runs side[DIFF_SIDES], char **out)
{
	struct comparison comparison = {
		.recording = {side[DIFF_BEFORE].trees[0]->recording,
			      side[DIFF_AFTER].trees[0]->recording},
	};

	settings_compare(&comparison, "program", side[DIFF_BEFORE].facts[0]->program,
			 side[DIFF_AFTER].facts[0]->program);
	settings_compare(&comparison, "recorded",
			 side[DIFF_BEFORE].is_sampled ? "samples" : "calls",
			 side[DIFF_AFTER].is_sampled ? "samples" : "calls");
	compare_notes(&comparison, "executable", "executable");
	compare_notes(&comparison, "host", "hostname");
	compare_settings(&comparison);
	*out = NULL;
	if (comparison.count == 0)
		return KYMO_OK;
	if (comparison.count > DIFFERENCES_MAX)
		textbuf_format(&comparison.text, "; and %zu more",
			       comparison.count - DIFFERENCES_MAX);
	*out = textbuf_take(&comparison.text);
	return *out ? KYMO_OK : KYMO_MEMORY;
}
