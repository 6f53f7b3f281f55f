/* Categories of what is recorded, by the names that rocprofiler-systems gives them:
 * ENABLE_CATEGORIES records these alone, DISABLE_CATEGORIES all but these.  A category may be part
 * of another: what says one thing of the whole says it of its parts.  Uses no memory.
 * Context: any. */
#ifndef KYMO_CATEGORIES_H
#define KYMO_CATEGORIES_H

#include <stdbool.h>

#include "base/status.h"

struct settings;

/* Whether what is of that category is recorded, with the two settings' texts.  Names that are no
 * category's are recorded. */
bool category_is_on(const char *enabled, const char *disabled, const char *name);

/* Switch off whatever the settings' lists leave out, whoever switched it on.  Names in them that
 * are no category's are warned of.  KYMO_MEMORY, or KYMO_OK.  Context: init. */
enum kymo_status categories_apply(struct settings *settings, struct problem *problem);

#endif
