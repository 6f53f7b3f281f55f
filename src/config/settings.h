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

/* Everything in order: files (KYMO_CONFIG_FILE, else ~/.kymo.cfg and ~/.kymo.json when
 * they exist), environment, then overrides ("NAME=VALUE", prefix optional, NULL-closed,
 * may be NULL).
 *
 * Unknown names and wrong values among the overrides fail; in the environment each is kept
 * as a warning line and has no effect; in files, and for a named file that cannot be read,
 * STRICT_CONFIG decides: ON fails, OFF warns.  Settings of the tools whose names are read
 * as aliases, but which mean nothing here, are warned of at VERBOSE >= 1 and never fail. */
enum kymo_status settings_load(struct settings *settings, char *const *environment,
			       const char *const *overrides, struct problem *problem);
/* One more file, as weak as the others: it replaces only defaults and values of files. */
enum kymo_status settings_load_file(struct settings *settings, const char *path,
				    struct problem *problem);
/* Set one by name, with or without prefix, any case.  A value from a stronger source stays.
 * An empty value means the default, unless the setting is a text or list without choices. */
enum kymo_status settings_set(struct settings *settings, const char *name, const char *value,
			      enum setting_source source, struct problem *problem);

/* Values that are of their type and turned out to be wrong all the same, as problem says.  names:
 * beginnings of the names of those it may be about, separated by blanks.  What the environment
 * gave of them falls back to the default, with a warning line: KYMO_OK, look again.  Else they
 * come from elsewhere: KYMO_USAGE. */
enum kymo_status settings_ignore_environment(struct settings *settings, const char *names,
					     const struct problem *problem);

const char *settings_text(const struct settings *settings, enum setting_id id);
bool settings_bool(const struct settings *settings, enum setting_id id);
long long settings_integer(const struct settings *settings, enum setting_id id);
double settings_number(const struct settings *settings, enum setting_id id);
enum setting_source settings_source(const struct settings *settings, enum setting_id id);
/* Every call is kept with its time: for a trace, or for tables of one row a call. */
bool settings_keep_events(const struct settings *settings);

/* Id of a name with or without prefix, any case; -1 = unknown. */
int settings_find(const char *name);
/* The nearest known name, for "did you mean"; NULL when none is near. */
const char *settings_nearest(const char *name);

size_t settings_warning_count(const struct settings *settings);
const char *settings_warning(const struct settings *settings, size_t index);

#endif
