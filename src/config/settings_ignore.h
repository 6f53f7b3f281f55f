/* Invalid values from the environment, which never stop a program: detected when they are used,
 * reported as warnings, and reset.  Context: init. */
#ifndef KYMO_SETTINGS_IGNORE_H
#define KYMO_SETTINGS_IGNORE_H

#include "config/settings.h"

/* Values of the right type that proved invalid, as problem says.  names: prefixes of the names of
 * the settings it may be about, separated by blanks.  Those that the environment set are reset to
 * the default, with a warning: KYMO_OK, check again.  If they come from elsewhere: KYMO_USAGE. */
enum kymo_status settings_ignore_environment(struct settings *settings, const char *names,
					     const struct problem *problem);

#endif
