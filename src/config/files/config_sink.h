/* Whom the parsers of configuration files tell what they read, and ask for values. */
#ifndef KYMO_CONFIG_SINK_H
#define KYMO_CONFIG_SINK_H

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

#endif
