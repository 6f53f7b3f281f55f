/* Presets: named sets of settings in JSON files.
 *
 * They are searched for in the folders of PRESET_DIR, then in the installation's.  A name
 * with a slash, or that ends in .json, is a file.  Besides the sections of preset_keys.def
 * a preset may have a section "settings" with any setting by its name.  Uses malloc. */
#ifndef KYMO_PRESET_H
#define KYMO_PRESET_H

#include <stdio.h>

#include "config/settings.h"

struct preset {
	char *name, *path, *description;
	char *values[SETTING_COUNT]; /* NULL = not set */
	char **missing;		     /* one line for each part that is not in this build */
	size_t missing_count;
};

/* Read one.  KYMO_USAGE: there is none of that name, or it is invalid.  The caller releases the
 * preset in any case. */
enum kymo_status preset_load(const struct settings *settings, const char *name,
			     struct preset *preset, struct problem *problem);
void preset_release(struct preset *preset);

struct preset_key {
	const char *name, *setting;
};
extern const struct preset_key preset_key_table[];
extern const size_t preset_key_count;

#endif
