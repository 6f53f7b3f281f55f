/* The settings' inside, shared by the files that store and that load them. */
#ifndef KYMO_SETTINGS_PRIVATE_H
#define KYMO_SETTINGS_PRIVATE_H

#include "config/settings.h"

struct settings {
	char *texts[SETTING_COUNT]; /* NULL = the default */
	enum setting_source sources[SETTING_COUNT];
	char **warnings;
	size_t warning_count;
	char **notes; /* warnings of names without effect, shown when verbose */
	size_t note_count;
	char *const *environment; /* while loading; else NULL = the process's own */
	bool is_of_other_tool;	  /* a value came by the name of another tool's setting */
};

/* As settings_set; where says the place in problems: "file.cfg:3". */
enum kymo_status settings_assign(struct settings *settings, const char *name, const char *value,
				 enum setting_source source, const char *where,
				 struct problem *problem);

/* What the settings say of each other, once all that were given are known. */
enum kymo_status settings_apply(struct settings *settings, struct problem *problem);

/* Keep the problem's line as a warning. */
enum kymo_status settings_warn(struct settings *settings, const struct problem *problem);

/* Value in the environment being loaded; NULL when it is not set. */
const char *settings_environment(const struct settings *settings, const char *name);

#endif
