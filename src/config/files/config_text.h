/* Configuration files as text:  NAME = VALUE.  Accepts any bytes; does not recurse.  Uses malloc.
 * Context: init. */
#ifndef KYMO_CONFIG_TEXT_H
#define KYMO_CONFIG_TEXT_H

#include <stddef.h>

#include "config/files/config_sink.h"

/* Pass every assignment of text, which need not be terminated, to the sink. */
enum kymo_status config_parse_text(const char *text, size_t length, const struct config_sink *sink,
				   struct problem *problem);

/* Spell value so that a text file is read back unchanged: plain or quoted. Returns a new string
 * (free), NULL when out of memory. */
char *config_quote(const char *value);

#endif
