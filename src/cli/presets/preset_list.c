/* Lists presets, their settings, and the current settings. */
#include "cli/presets/preset_list.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/text/plaintext.h"
#include "cli/presets/preset.h"
#include "cli/installed.h"
#include "text/json_writer.h"

#define EXTENSION "json"
#define COMMAND	  "kymo run --export-config"

static bool list_is_known(const struct preset_names *names, const char *name, size_t length)
{
	for (size_t i = 0; i < names->count; i++)
		if (strlen(names->names[i]) == length && !strncmp(names->names[i], name, length))
			return true;
	return false;
}

static int is_preset(const struct dirent *entry)
{
	const char *dot = strrchr(entry->d_name, '.');

	return dot && dot != entry->d_name && strcmp(dot + 1, EXTENSION) == 0;
}

/* A folder that cannot be read has no presets. */
static bool search_folder(struct preset_names *names, const char *folder)
{
	struct dirent **entries;
	int count = scandir(folder, &entries, is_preset, alphasort);
	bool is_kept = true;

	for (int i = 0; i < count; i++) {
		const char *name = entries[i]->d_name;
		size_t length = strlen(name) - strlen("." EXTENSION);

		if (is_kept && !list_is_known(names, name, length))
			is_kept =
				lines_add(&names->names, &names->count, "%.*s", (int)length,
					  name) &&
				lines_add(&names->paths, &names->path_count, "%s/%s", folder, name);
		free(entries[i]);
	}
	if (count >= 0)
		free(entries);
	return is_kept;
}

enum kymo_status preset_search(const struct settings *settings, struct preset_names *names,
			       struct problem *problem)
{
	const char *rest = settings_text(settings, SET_PRESET_DIR);
	char *installed = installed_presets(), folder[PATH_MAX];
	bool is_kept = true;

	*names = (struct preset_names){0};
	while (is_kept && *(rest += strspn(rest, ":"))) {
		size_t length = strcspn(rest, ":");

		snprintf(folder, sizeof(folder), "%.*s", (int)length, rest);
		is_kept = search_folder(names, folder);
		rest += length;
	}
	if (is_kept && installed)
		is_kept = search_folder(names, installed);
	free(installed);
	return is_kept ? KYMO_OK : problem_set(problem, KYMO_MEMORY, "out of memory");
}

void preset_names_release(struct preset_names *names)
{
	lines_free(names->names, names->count);
	lines_free(names->paths, names->path_count);
	*names = (struct preset_names){0};
}

enum kymo_status preset_list(const struct settings *settings, FILE *out, struct problem *problem)
{
	struct preset_names names;
	enum kymo_status status = preset_search(settings, &names, problem);
	size_t width = 0;

	for (size_t i = 0; i < names.count; i++)
		if (strlen(names.names[i]) > width)
			width = strlen(names.names[i]);
	for (size_t i = 0; status == KYMO_OK && i < names.count; i++) {
		struct problem wrong;
		struct preset preset;

		/* An unreadable one is listed with the reason. */
		if (preset_load(settings, names.paths[i], &preset, &wrong) == KYMO_OK)
			plaintext_print(out, "%-*s  %s\n", (int)width, names.names[i],
					preset.description);
		else
			plaintext_print(out, "%-*s  (%s)\n", (int)width, names.names[i],
					wrong.text);
		preset_release(&preset);
	}
	preset_names_release(&names);
	return status;
}

void preset_explain(const struct preset *preset, FILE *out)
{
	plaintext_print(out, "%s: %s\n", preset->name, preset->description);
	for (int id = 0; id < SETTING_COUNT; id++)
		if (preset->values[id])
			plaintext_print(out, "  KYMO_%s=%s\n", setting_table[id].name,
					preset->values[id]);
	if (preset->missing_count > 0)
		fprintf(out, "ignored, not in this build:\n");
	for (size_t i = 0; i < preset->missing_count; i++)
		plaintext_print(out, "  %s\n", preset->missing[i]);
}

static void begin_line(struct json_writer *writer, unsigned int depth)
{
	json_line(writer);
	while (depth-- > 0)
		putc('\t', writer->out);
}

static void begin_section(struct json_writer *writer, const char *name)
{
	begin_line(writer, 1);
	json_key(writer, name);
	json_begin_object(writer);
}

static void end_section(struct json_writer *writer)
{
	fputs("\n\t", writer->out);
	json_end_object(writer);
}

static void list_put_value(struct json_writer *writer, const char *key,
			   const struct settings *settings, enum setting_id id)
{
	begin_line(writer, 2);
	switch (setting_table[id].type) {
	case SETTING_BOOL:
		json_pair_bool(writer, key, settings_bool(settings, id));
		break;
	case SETTING_INTEGER:
		if (settings_integer(settings, id) >= 0) {
			json_pair_count(writer, key, (uint64_t)settings_integer(settings, id));
			break;
		}
		__attribute__((fallthrough));
	case SETTING_NUMBER:
		json_pair_number(writer, key, settings_number(settings, id));
		break;
	case SETTING_LIST:
	case SETTING_TEXT:
		json_pair_text(writer, key, settings_text(settings, id));
		break;
	}
}

/* Sections of the table, each with its settings. */
static void put_sections(struct json_writer *writer, const struct settings *settings, bool *is_put)
{
	const char *section = "";
	size_t length = 0;

	for (size_t i = 0; i < preset_key_count; i++) {
		const struct preset_key *row = &preset_key_table[i];
		int id = settings_find(row->setting);
		char name[64];

		if (id < 0 || strchr(row->name, '='))
			continue;
		if (length == 0 || strncmp(row->name, section, length + 1) != 0) {
			if (length > 0)
				end_section(writer);
			section = row->name;
			length = strcspn(section, ".");
			snprintf(name, sizeof(name), "%.*s", (int)length, section);
			begin_section(writer, name);
		}
		list_put_value(writer, row->name + length + 1, settings, (enum setting_id)id);
		is_put[id] = true;
	}
	if (length > 0)
		end_section(writer);
}

/* Settings for the location of settings have already been applied, and those that Kymo passes to
 * the processes of a run belong to that run. */
static bool is_exported(const struct settings *settings, int id)
{
	const struct setting_row *row = &setting_table[id];

	return strstr(row->categories, "internal") == NULL &&
	       strncmp(row->categories, "config", 6) != 0 &&
	       strcmp(settings_text(settings, (enum setting_id)id), row->default_text) != 0;
}

void preset_export(const struct settings *settings, FILE *out)
{
	struct json_writer writer = {.out = out};
	bool is_put[SETTING_COUNT] = {false};

	json_begin_object(&writer);
	begin_section(&writer, "metadata");
	begin_line(&writer, 2);
	json_pair_text(&writer, "name", "exported");
	begin_line(&writer, 2);
	json_pair_text(&writer, "description", "Settings written by " COMMAND);
	end_section(&writer);
	put_sections(&writer, settings, is_put);
	begin_section(&writer, "settings");
	for (int id = 0; id < SETTING_COUNT; id++)
		if (!is_put[id] && is_exported(settings, id))
			list_put_value(&writer, setting_table[id].name, settings,
				       (enum setting_id)id);
	end_section(&writer);
	putc('\n', out);
	json_end_object(&writer);
	putc('\n', out);
}
