/* Settings that set others: shorthands, modes and the defaults of the tools whose names are read as
 * aliases.  Part of loading.  Context: init. */
#ifndef KYMO_SETTINGS_APPLY_H
#define KYMO_SETTINGS_APPLY_H

#include "config/settings.h"

/* Apply the settings that set others, once all given ones are known.  A setting that was given by
 * name keeps its value. */
enum kymo_status settings_apply(struct settings *settings, struct problem *problem);

#endif
