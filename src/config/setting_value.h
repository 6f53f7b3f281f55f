/* Texts as values of a setting: check and spell them the one way.  Uses malloc.
 * Context: init. */
#ifndef KYMO_SETTING_VALUE_H
#define KYMO_SETTING_VALUE_H

#include "base/text/textbuf.h"
#include "config/settings.h"

/* The value as it is kept: booleans as ON or OFF, choices as the table spells them,
 * surrounding blanks gone where they mean nothing.  *out (free) is NULL when the value is
 * empty and so means the default.  KYMO_USAGE: reason says what is right. */
enum kymo_status setting_value_check(const struct setting_row *row, const char *value, char **out,
				     struct textbuf *reason);

#endif
