/* Reading presets. */
#include "cli/presets/preset.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/array.h"
#include "base/text/suggest.h"
#include "base/text/textbuf.h"
#include "cli/options/not_built.h"
#include "cli/presets/preset_list.h"
#include "config/files/config_json.h"
#include "config/files/configfile.h"

#define FILE_SIZE_MAX (1024 * 1024)

const struct preset_key preset_key_table[] = {
#define PRESET_KEY(name, setting) {name, setting},
#include "cli/presets/preset_keys.def"
#undef PRESET_KEY
};
const size_t preset_key_count = sizeof(preset_key_table) / sizeof(*preset_key_table);

static enum kymo_status preset_out_of_memory(struct problem *problem)
{
	return problem_set(problem, KYMO_MEMORY, "out of memory");
}

/* A missing part is no problem if the preset switches it off. */
static bool is_asked_for(const char *value)
{
	return value && *value && strcasecmp(value, "false") != 0 &&
	       strcasecmp(value, "off") != 0 && strcasecmp(value, "none") != 0 &&
	       strcmp(value, "0") != 0;
}

/* Store the value as the setting spells it. */
static enum kymo_status preset_keep(struct preset *preset, int id, const struct settings *settings,
				    struct problem *problem)
{
	char *value = strdup(settings_text(settings, (enum setting_id)id));

	if (!value)
		return preset_out_of_memory(problem);
	free(preset->values[id]);
	preset->values[id] = value;
	return KYMO_OK;
}

static enum kymo_status take_setting(struct preset *preset, const char *setting, const char *value,
				     unsigned int line, struct problem *problem)
{
	struct settings *settings = settings_new();
	int id = settings_find(setting);
	struct problem cause;
	enum kymo_status status;

	if (!settings)
		return preset_out_of_memory(problem);
	status = settings_set(settings, setting, value, SETTING_FROM_FILE, &cause);
	if (status < 0)
		problem_set(problem, status, "%s:%u: %s", preset->path, line, cause.text);
	else if (id < 0)
		status = problem_set(problem, KYMO_USAGE, "%s:%u: %s has no effect here",
				     preset->path, line, setting);
	else
		status = preset_keep(preset, id, settings, problem);
	settings_free(settings);
	return status;
}

static bool preset_matches(const char *name, const char *key, const char *value)
{
	const char *star = strchr(name, '*'), *word = strchr(name, '=');

	if (star)
		return strncmp(name, key, (size_t)(star - name)) == 0;
	if (!word)
		return strcmp(name, key) == 0;
	return strlen(key) == (size_t)(word - name) &&
	       strncmp(name, key, (size_t)(word - name)) == 0 && value &&
	       strcasecmp(value, word + 1) == 0;
}

static enum kymo_status refuse_key(const struct preset *preset, const char *key, unsigned int line,
				   struct problem *problem)
{
	struct suggestion search;

	suggest_begin(&search, key);
	for (size_t i = 0; i < preset_key_count; i++)
		suggest_offer(&search, preset_key_table[i].name);
	for (size_t i = 0; i < not_built_count; i++)
		if (not_built_table[i].kind == NOT_BUILT_KEY)
			suggest_offer(&search, not_built_table[i].name);
	if (search.best)
		return problem_set(problem, KYMO_USAGE,
				   "%s:%u: unknown key of a preset, '%s'; did you mean '%s'?",
				   preset->path, line, key, search.best);
	return problem_set(problem, KYMO_USAGE, "%s:%u: unknown key of a preset, '%s'",
			   preset->path, line, key);
}

static enum kymo_status preset_on_assign(void *object, const char *key, const char *value,
					 unsigned int line, struct problem *problem)
{
	struct preset *preset = object;
	const struct not_built *absent;

	if (strcmp(key, "metadata.description") == 0) {
		free(preset->description);
		preset->description = strdup(value ? value : "");
		return preset->description ? KYMO_OK : preset_out_of_memory(problem);
	}
	if (strncmp(key, "metadata.", 9) == 0)
		return KYMO_OK;
	if (strncmp(key, "settings.", 9) == 0)
		return take_setting(preset, key + 9, value ? value : "", line, problem);
	for (size_t i = 0; i < preset_key_count; i++) {
		const struct preset_key *row = &preset_key_table[i];

		if (!preset_matches(row->name, key, value))
			continue;
		return take_setting(preset, row->setting,
				    strchr(row->name, '=') ? "ON"
				    : value		   ? value
							   : "",
				    line, problem);
	}
	absent = not_built_key(key);
	if (absent && is_asked_for(value) &&
	    !lines_add(&preset->missing, &preset->missing_count, "%s = %s needs %s", key, value,
		       absent->needs))
		return preset_out_of_memory(problem);
	if (absent)
		return KYMO_OK;
	return refuse_key(preset, key, line, problem);
}

static enum kymo_status preset_on_malformed(void *object, const char *what, unsigned int line,
					    struct problem *problem)
{
	const struct preset *preset = object;

	return problem_set(problem, KYMO_USAGE, "%s:%u: %s", preset->path, line, what);
}

static const char *preset_on_look_up(void *object, enum config_reference kind, const char *name)
{
	(void)object;
	(void)kind;
	(void)name;
	return NULL;
}

static enum kymo_status preset_read_file(const char *path, struct textbuf *text,
					 struct problem *problem)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), error = 0;
	char bytes[4096];
	ssize_t count = -1;

	while (fd >= 0 && text->length <= FILE_SIZE_MAX &&
	       (count = read(fd, bytes, sizeof(bytes))) > 0)
		textbuf_bytes(text, bytes, (size_t)count);
	error = fd < 0 || count < 0 ? errno : text->length > FILE_SIZE_MAX ? EFBIG : 0;
	if (fd >= 0)
		close(fd);
	if (text->has_failed)
		return preset_out_of_memory(problem);
	if (error != 0)
		return problem_set(problem, KYMO_USAGE, "cannot read the preset '%s': %s", path,
				   strerror(error));
	return KYMO_OK;
}

static bool preset_is_file_name(const char *name)
{
	size_t length = strlen(name);

	return strchr(name, '/') || (length > 5 && strcmp(name + length - 5, ".json") == 0);
}

/* Path of the preset of this name. */
static enum kymo_status find_file(const struct settings *settings, const char *name, char **path,
				  struct problem *problem)
{
	struct preset_names names = {0};
	enum kymo_status status = preset_search(settings, &names, problem);
	struct suggestion search;

	*path = NULL;
	suggest_begin(&search, name);
	for (size_t i = 0; status == KYMO_OK && i < names.count && !*path; i++) {
		suggest_offer(&search, names.names[i]);
		if (strcmp(names.names[i], name) == 0) {
			*path = strdup(names.paths[i]);
			if (!*path)
				status = preset_out_of_memory(problem);
		}
	}
	if (status == KYMO_OK && !*path && search.best)
		status = problem_set(problem, KYMO_USAGE,
				     "there is no preset '%s'; did you mean '%s'?", name,
				     search.best);
	else if (status == KYMO_OK && !*path)
		status = problem_set(problem, KYMO_USAGE,
				     "there is no preset '%s'; --list-presets lists them", name);
	preset_names_release(&names);
	return status;
}

enum kymo_status preset_load(const struct settings *settings, const char *name,
			     struct preset *preset, struct problem *problem)
{
	const struct config_sink sink = {preset, preset_on_assign, preset_on_malformed,
					 preset_on_look_up};
	struct textbuf text = {0};
	enum kymo_status status = KYMO_OK;

	*preset = (struct preset){.name = strdup(name), .description = strdup("")};
	if (preset_is_file_name(name))
		preset->path = strdup(name);
	else
		status = find_file(settings, name, &preset->path, problem);
	if (status == KYMO_OK && (!preset->name || !preset->description || !preset->path))
		status = preset_out_of_memory(problem);
	if (status == KYMO_OK)
		status = preset_read_file(preset->path, &text, problem);
	if (status == KYMO_OK)
		status = config_parse_sections(text.data ? text.data : "", text.length, &sink,
					       problem);
	textbuf_release(&text);
	return status;
}

void preset_release(struct preset *preset)
{
	for (int id = 0; id < SETTING_COUNT; id++)
		free(preset->values[id]);
	lines_free(preset->missing, preset->missing_count);
	free(preset->name);
	free(preset->path);
	free(preset->description);
	*preset = (struct preset){0};
}
