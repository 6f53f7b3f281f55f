/* The internals of the settings, shared by the files that store and load them. */
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
	char *const *environment; /* while loading; otherwise NULL = the process's own */
	bool is_of_other_tool;	  /* a value was set by the name of another tool's setting */
};

#endif
