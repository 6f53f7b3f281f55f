/* What `kymo avail` can list, each as a filled list; avail_list_release() when done. */
#ifndef KYMO_AVAIL_SOURCES_H
#define KYMO_AVAIL_SOURCES_H

#include "cli/avail/avail_list.h"
#include "config/settings.h"

/* Settings with the values that apply here; has_advanced: those too that few need. */
void avail_settings(struct avail_list *list, const struct settings *settings, bool has_advanced);
void avail_components(struct avail_list *list);
/* is_expanded: with what each key stands for in this process. */
void avail_keys(struct avail_list *list, const struct settings *settings, bool is_expanded);
void avail_collectors(struct avail_list *list);
void avail_exporters(struct avail_list *list);
void avail_categories(struct avail_list *list);
/* What is known and not in this build, and what it needs. */
void avail_not_built(struct avail_list *list);

/* "bool", "integer", ... */
const char *avail_type_name(enum setting_type type);

#endif
