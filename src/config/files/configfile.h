/* Configuration files as text, JSON or XML, read into "this key has this value".
 *
 * The parsers know no settings: they hand every assignment to a sink and ask it for the
 * values that texts refer to.  Which form a file has is seen from its first character.
 * They take any bytes and recurse nowhere.  Use malloc.  Context: init. */
#ifndef KYMO_CONFIGFILE_H
#define KYMO_CONFIGFILE_H

#include <stddef.h>

#include "base/status.h"
#include "config/files/config_sink.h"

/* text need not be terminated. */
enum kymo_status config_parse(const char *text, size_t length, const struct config_sink *sink,
			      struct problem *problem);

#endif
