/* Lists presets, and exports the current settings. */
#ifndef KYMO_PRESET_LIST_H
#define KYMO_PRESET_LIST_H

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"
#include "cli/presets/preset.h"

struct settings;

/* Names and descriptions of all; the settings of one as environment variables. */
enum kymo_status preset_list(const struct settings *settings, FILE *out, struct problem *problem);
void preset_explain(const struct preset *preset, FILE *out);

/* The current settings as a preset. */
void preset_export(const struct settings *settings, FILE *out);

/* Path (free) of every preset file, each name at most once; the nearest name for one that does not
 * exist.  Used by the list. */
struct preset_names {
	char **names, **paths;
	size_t count, path_count;
};
enum kymo_status preset_search(const struct settings *settings, struct preset_names *names,
			       struct problem *problem);
void preset_names_release(struct preset_names *names);

#endif
