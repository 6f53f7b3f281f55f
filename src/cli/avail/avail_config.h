/* Configuration files made by `kymo avail --generate-config`. */
#ifndef KYMO_AVAIL_CONFIG_H
#define KYMO_AVAIL_CONFIG_H

#include "cli/avail/avail_list.h"
#include "config/settings.h"

enum avail_config_format { AVAIL_CONFIG_TEXT, AVAIL_CONFIG_JSON, AVAIL_CONFIG_XML };

struct avail_config {
	const struct settings *settings;
	const struct avail_list *list; /* the settings to write, by their first cell */
	const char *path;	       /* "-" = standard output */
	const char *tag;	       /* put into the first lines; may be NULL */
	bool has_details;	       /* with descriptions and the rest */
	bool is_forced;		       /* overwrite existing files */
};

/* Formats as words: txt, json, xml, also joined by commas.  None: by the path's extension.
 * Several: one file each, with path's extension replaced.  Reading a file back gives the current
 * settings. */
enum kymo_status avail_config_write(const struct avail_config *config,
				    const struct option_words *formats, struct problem *problem);

#endif
