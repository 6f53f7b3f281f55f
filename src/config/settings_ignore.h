/* Wrong values of the environment, which never stops a program: found when they are put to use,
 * warned of, and forgotten.  Context: init. */
#ifndef KYMO_SETTINGS_IGNORE_H
#define KYMO_SETTINGS_IGNORE_H

#include "config/settings.h"

/* Values that are of their type and turned out to be wrong all the same, as problem says.  names:
 * beginnings of the names of those it may be about, separated by blanks.  What the environment
 * gave of them falls back to the default, with a warning line: KYMO_OK, look again.  Else they
 * come from elsewhere: KYMO_USAGE. */
enum kymo_status settings_ignore_environment(struct settings *settings, const char *names,
					     const struct problem *problem);

#endif
