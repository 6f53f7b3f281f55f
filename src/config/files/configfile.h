/* Configuration files as text, JSON or XML, read into "this key has this value".
 *
 * The parsers know no settings: they hand every assignment to a sink and ask it for the
 * values that texts refer to.  Which form a file has is seen from its first character.
 * They take any bytes and recurse nowhere.  Use malloc.  Context: init. */
#ifndef KYMO_CONFIGFILE_H
#define KYMO_CONFIGFILE_H

#include <stddef.h>

#include "base/status.h"

enum config_reference {
	CONFIG_REFERENCE_ENVIRONMENT, /* $env:NAME */
	CONFIG_REFERENCE_SETTING,     /* ${NAME} */
};

struct config_sink {
	void *object;
	/* One assignment; line counts from 1.  A failure ends the reading. */
	enum kymo_status (*assign)(void *object, const char *key, const char *value,
				   unsigned int line, struct problem *problem);
	/* A part of the text that could not be understood and is left out, in words.
	 * Returning KYMO_OK goes on behind it where that is possible. */
	enum kymo_status (*malformed)(void *object, const char *what, unsigned int line,
				      struct problem *problem);
	/* Value of a reference; NULL = no such name. */
	const char *(*look_up)(void *object, enum config_reference kind, const char *name);
};

/* text need not be terminated. */
enum kymo_status config_parse(const char *text, size_t length, const struct config_sink *sink,
			      struct problem *problem);

/* A JSON text whose objects are sections: its keys are whole names, "tracing.enabled". */
enum kymo_status config_parse_sections(const char *text, size_t length,
				       const struct config_sink *sink, struct problem *problem);

/* Write value as a text file must spell it to be read back as it is: plain or quoted.
 * Returns a new string (free), NULL when out of memory. */
char *config_quote(const char *value);

#endif
