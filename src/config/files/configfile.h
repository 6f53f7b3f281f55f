/* Configuration files as text, JSON or XML, parsed into assignments of values to keys.
 *
 * The parsers know no settings: they pass every assignment to a sink and query it for the values of
 * references.  The first character determines the format. They accept any bytes and do not recurse.
 * Use malloc.  Context: init. */
#ifndef KYMO_CONFIGFILE_H
#define KYMO_CONFIGFILE_H

#include <stddef.h>

#include "base/status.h"
#include "config/files/config_sink.h"

/* text need not be terminated. */
enum kymo_status config_parse(const char *text, size_t length, const struct config_sink *sink,
			      struct problem *problem);

#endif
