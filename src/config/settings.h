/* The settings: one table drives the environment, configuration files, command lines,
 * --help, `kymo avail` and the unknown-name warning.
 *
 * Order: command line > environment > file > default.  ROCPROFSYS_X and OMNITRACE_X are
 * read as aliases of KYMO_X where that is not set.  Shared by the runtime and the
 * commands; uses malloc.  Context: init. */
#ifndef KYMO_SETTINGS_H
#define KYMO_SETTINGS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/status.h"

enum setting_type { SETTING_BOOL, SETTING_INTEGER, SETTING_NUMBER, SETTING_TEXT, SETTING_LIST };

enum setting_source {
	SETTING_FROM_DEFAULT,
	SETTING_FROM_FILE,
	SETTING_FROM_ENVIRONMENT,
	SETTING_FROM_COMMAND,
};

struct setting_row {	  /* one line of settings.def */
	const char *name; /* without prefix: "OUTPUT_PATH" */
	enum setting_type type;
	const char *default_text;
	const char *categories; /* comma separated */
	const char *choices;	/* comma separated, or a range "LOW..HIGH"; "" = free */
	const char *help;
};

enum setting_id {
#define SETTING(name, type, default_text, categories, choices, help) SET_##name,
#include "config/settings.def"
#undef SETTING
	SETTING_COUNT
};

extern const struct setting_row setting_table[SETTING_COUNT];

struct settings;

struct settings *settings_new(void); /* all defaults; NULL = out of memory */
void settings_free(struct settings *settings);

/* Set one by name, with or without prefix, any case.  A value from a stronger source is kept.  An
 * empty value means the default, unless the setting is a text or list without choices. */
enum kymo_status settings_set(struct settings *settings, const char *name, const char *value,
			      enum setting_source source, struct problem *problem);

const char *settings_text(const struct settings *settings, enum setting_id id);
bool settings_bool(const struct settings *settings, enum setting_id id);
long long settings_integer(const struct settings *settings, enum setting_id id);
double settings_number(const struct settings *settings, enum setting_id id);
enum setting_source settings_source(const struct settings *settings, enum setting_id id);
/* Every call is kept with its time: for a trace, or for tables with one row per call. */
bool settings_keep_events(const struct settings *settings);

/* Id of a name with or without prefix, any case; -1 = unknown. */
int settings_find(const char *name);
/* The nearest known name, for "did you mean"; NULL when none is near. */
const char *settings_nearest(const char *name);

size_t settings_warning_count(const struct settings *settings);
const char *settings_warning(const struct settings *settings, size_t index);

#endif
