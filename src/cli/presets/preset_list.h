/* Which presets there are, and what they and the settings of now say. */
#ifndef KYMO_PRESET_LIST_H
#define KYMO_PRESET_LIST_H

#include <stddef.h>
#include <stdio.h>

#include "base/status.h"
#include "cli/presets/preset.h"

struct settings;

/* Names and descriptions of all; what it sets, in the words of the environment. */
enum kymo_status preset_list(const struct settings *settings, FILE *out, struct problem *problem);
void preset_explain(const struct preset *preset, FILE *out);

/* The settings as a preset that leads back to them. */
void preset_export(const struct settings *settings, FILE *out);

/* Path (free) of every preset file: one after the other, at most once each name; the nearest
 * name for one that is none.  Used by the list. */
struct preset_names {
	char **names, **paths;
	size_t count, path_count;
};
enum kymo_status preset_search(const struct settings *settings, struct preset_names *names,
			       struct problem *problem);
void preset_names_release(struct preset_names *names);

#endif
