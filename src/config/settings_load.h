/* Loads the settings from command line, environment and files.  Warnings are kept with the
 * settings.  Uses malloc.  Context: init. */
#ifndef KYMO_SETTINGS_LOAD_H
#define KYMO_SETTINGS_LOAD_H

#include "config/settings.h"

/* Everything in order: files (KYMO_CONFIG_FILE, else ~/.kymo.cfg and ~/.kymo.json when
 * they exist), environment, then overrides ("NAME=VALUE", prefix optional, NULL-closed,
 * may be NULL).
 *
 * Unknown names and wrong values among the overrides fail; in the environment each is kept
 * as a warning line and has no effect; in files, and for a named file that cannot be read,
 * STRICT_CONFIG decides: ON fails, OFF warns.  Settings of the tools whose names are read
 * as aliases, but which mean nothing here, are warned of at VERBOSE >= 1 and never fail. */
enum kymo_status settings_load(struct settings *settings, char *const *environment,
			       const char *const *overrides, struct problem *problem);
/* One more file, of the same strength as the others: it replaces only defaults and values of files.
 */
enum kymo_status settings_load_file(struct settings *settings, const char *path,
				    struct problem *problem);

#endif
