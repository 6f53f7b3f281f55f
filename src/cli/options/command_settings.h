/* The user's settings, for a command that only reads them.  Free with settings_free(). */
#ifndef KYMO_COMMAND_SETTINGS_H
#define KYMO_COMMAND_SETTINGS_H

#include "config/settings.h"

/* From files and the environment; errors in them are printed as warnings. */
enum kymo_status command_settings_new(struct settings **out, struct problem *problem);

#endif
