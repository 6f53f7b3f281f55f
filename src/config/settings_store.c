/* The settings: storage, typed access and setting a value. A value is stored as text, checked when
 * it is set, and converted when it is read, which happens a few times per run. */
#include "config/settings_store.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "config/setting_names.h"
#include "config/setting_value.h"
#include "config/settings.h"
#include "config/settings_private.h"

const struct setting_row setting_table[SETTING_COUNT] = {
#define SETTING(name, type, default_text, categories, choices, help)                               \
	{#name, type, default_text, categories, choices, help},
#include "config/settings.def"
#undef SETTING
};

static const char *const source_places[] = {
	[SETTING_FROM_DEFAULT] = "default",
	[SETTING_FROM_FILE] = "configuration file",
	[SETTING_FROM_ENVIRONMENT] = "environment",
	[SETTING_FROM_COMMAND] = "command line",
};

struct settings *settings_new(void)
{
	return calloc(1, sizeof(struct settings));
}

void settings_free(struct settings *settings)
{
	if (settings == NULL)
		return;
	for (int id = 0; id < SETTING_COUNT; id++)
		free(settings->texts[id]);
	lines_free(settings->warnings, settings->warning_count);
	lines_free(settings->notes, settings->note_count);
	free(settings);
}

static enum kymo_status report_unknown(const char *name, const char *where, struct problem *problem)
{
	const char *nearest = settings_nearest(name);

	if (nearest == NULL)
		return problem_set(problem, KYMO_USAGE,
				   "unknown setting '%s' (%s); 'kymo avail' lists the settings",
				   name, where);
	return problem_set(problem, KYMO_USAGE, "unknown setting '%s' (%s); did you mean KYMO_%s?",
			   name, where, nearest);
}

static enum kymo_status config_settings_store(struct settings *settings, int id, const char *value,
					      enum setting_source source, const char *where,
					      struct problem *problem)
{
	const struct setting_row *row = &setting_table[id];
	struct textbuf reason = {0};
	enum kymo_status status;
	char *text = NULL;

	status = setting_value_check(row, value, &text, &reason);
	if (status == KYMO_USAGE) {
		problem_set(problem, status, "KYMO_%s cannot be '%s' (%s): %s", row->name, value,
			    where, reason.data);
	} else if (status != KYMO_OK) {
		problem_set(problem, status, "out of memory");
	} else if (settings->sources[id] > source) {
		free(text);
	} else {
		free(settings->texts[id]);
		settings->texts[id] = text;
		settings->sources[id] = text != NULL ? source : SETTING_FROM_DEFAULT;
	}
	textbuf_release(&reason);
	return status;
}

enum kymo_status settings_assign(struct settings *settings, const char *name, const char *value,
				 enum setting_source source, const char *where,
				 struct problem *problem)
{
	struct setting_name resolved = setting_name_resolve(name, strlen(name));

	switch (resolved.kind) {
	case SETTING_NAME_OWN:
	case SETTING_NAME_ALIAS:
		return config_settings_store(settings, resolved.id, value, source, where, problem);
	case SETTING_NAME_FOREIGN:
		if (lines_add(&settings->notes, &settings->note_count, "%s (%s) has no effect here",
			      name, where))
			return KYMO_OK;
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	case SETTING_NAME_PRIVATE:
		return KYMO_OK;
	case SETTING_NAME_UNKNOWN:
		break;
	}
	return report_unknown(name, where, problem);
}

enum kymo_status settings_set(struct settings *settings, const char *name, const char *value,
			      enum setting_source source, struct problem *problem)
{
	return settings_assign(settings, name, value, source, source_places[source], problem);
}

const char *settings_text(const struct settings *settings, enum setting_id id)
{
	return settings->texts[id] != NULL ? settings->texts[id] : setting_table[id].default_text;
}

bool settings_bool(const struct settings *settings, enum setting_id id)
{
	return strcmp(settings_text(settings, id), "ON") == 0;
}

long long settings_integer(const struct settings *settings, enum setting_id id)
{
	return strtoll(settings_text(settings, id), NULL, 10);
}

double settings_number(const struct settings *settings, enum setting_id id)
{
	return strtod(settings_text(settings, id), NULL);
}

bool settings_keep_events(const struct settings *settings)
{
	return settings_bool(settings, SET_TRACE) || settings_bool(settings, SET_TIMELINE_PROFILE);
}

enum setting_source settings_source(const struct settings *settings, enum setting_id id)
{
	return settings->sources[id];
}

enum kymo_status settings_warn(struct settings *settings, const struct problem *problem)
{
	return lines_add(&settings->warnings, &settings->warning_count, "%s", problem->text)
		       ? KYMO_OK
		       : KYMO_MEMORY;
}

size_t settings_warning_count(const struct settings *settings)
{
	return settings->warning_count;
}

const char *settings_warning(const struct settings *settings, size_t index)
{
	return settings->warnings[index];
}

const char *settings_environment(const struct settings *settings, const char *name)
{
	char *const *entry = settings->environment != NULL ? settings->environment : environ;
	size_t length = strlen(name);

	for (; entry != NULL && *entry != NULL; entry++)
		if (strncmp(*entry, name, length) == 0 && (*entry)[length] == '=')
			return *entry + length + 1;
	return NULL;
}
