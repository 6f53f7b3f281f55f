/* Texts as values of a setting: validation and canonical spelling.  Uses malloc.  Context: init. */
#ifndef KYMO_SETTING_VALUE_H
#define KYMO_SETTING_VALUE_H

#include "base/text/textbuf.h"
#include "config/settings.h"

/* The value as it is stored: booleans as ON or OFF, choices as the table spells them, surrounding
 * blanks removed where they have no meaning.  *out (free) is NULL when the value is empty, which
 * means the default.  KYMO_USAGE: reason describes the valid values. */
enum kymo_status setting_value_check(const struct setting_row *row, const char *value, char **out,
				     struct textbuf *reason);

#endif
