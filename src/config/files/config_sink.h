/* Callbacks of the parsers of configuration files: assignments, errors, and values of references.
 */
#ifndef KYMO_CONFIG_SINK_H
#define KYMO_CONFIG_SINK_H

#include "base/status.h"

enum config_reference {
	CONFIG_REFERENCE_ENVIRONMENT, /* $env:NAME */
	CONFIG_REFERENCE_SETTING,     /* ${NAME} */
};

struct config_sink {
	void *object;
	/* One assignment; line counts from 1.  A failure ends the parsing. */
	enum kymo_status (*assign)(void *object, const char *key, const char *value,
				   unsigned int line, struct problem *problem);
	/* A malformed part of the text, which is skipped, described in words. Returning KYMO_OK
	 * continues behind it where possible. */
	enum kymo_status (*malformed)(void *object, const char *what, unsigned int line,
				      struct problem *problem);
	/* Value of a reference; NULL = no such name. */
	const char *(*look_up)(void *object, enum config_reference kind, const char *name);
};

#endif
