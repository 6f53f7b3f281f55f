/* Categories of recorded data, by the names that rocprofiler-systems gives them: ENABLE_CATEGORIES
 * records only these, DISABLE_CATEGORIES all but these.  A category may be part of another: a list
 * entry for the whole applies to its parts.  Allocates nothing. Context: any. */
#ifndef KYMO_CATEGORIES_H
#define KYMO_CATEGORIES_H

#include <stdbool.h>

#include "base/status.h"

struct settings;

/* Whether data of the category is recorded, given the texts of the two settings.  Unknown
 * categories are recorded. */
bool category_is_on(const char *enabled, const char *disabled, const char *name);

/* Switch off what the settings' lists exclude, whatever switched it on.  Warns of unknown names in
 * them.  KYMO_MEMORY, or KYMO_OK.  Context: init. */
enum kymo_status categories_apply(struct settings *settings, struct problem *problem);

#endif
