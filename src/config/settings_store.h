/* The settings: storage, typed access and setting a value. */
#ifndef KYMO_SETTINGS_STORE_H
#define KYMO_SETTINGS_STORE_H

#include "base/status.h"
#include "config/settings.h"

struct settings;

/* As settings_set(); where is the source in problems: "file.cfg:3". */
enum kymo_status settings_assign(struct settings *settings, const char *name, const char *value,
				 enum setting_source source, const char *where,
				 struct problem *problem);

/* Keep the problem's line as a warning. */
enum kymo_status settings_warn(struct settings *settings, const struct problem *problem);

/* Value in the environment being loaded; NULL when it is not set. */
const char *settings_environment(const struct settings *settings, const char *name);

#endif
