/* What `kymo avail` can list, each as a filled list, which the caller releases with
 * avail_list_release(). */
#ifndef KYMO_AVAIL_SOURCES_H
#define KYMO_AVAIL_SOURCES_H

#include "cli/avail/avail_list.h"
#include "config/settings.h"

/* Settings with their current values; has_advanced: including the rarely needed ones. */
void avail_settings(struct avail_list *list, const struct settings *settings, bool has_advanced);
void avail_components(struct avail_list *list);
/* is_expanded: with the value of each key in this process. */
void avail_keys(struct avail_list *list, const struct settings *settings, bool is_expanded);
void avail_collectors(struct avail_list *list);
void avail_exporters(struct avail_list *list);
void avail_categories(struct avail_list *list);
/* Known options that are not in this build, and what they need. */
void avail_not_built(struct avail_list *list);

/* "bool", "integer", ... */
const char *avail_type_name(enum setting_type type);

#endif
