/* Configuration files as JSON.  Accepts any bytes; does not recurse.  Uses malloc.  Context: init.
 */
#ifndef KYMO_CONFIG_JSON_H
#define KYMO_CONFIG_JSON_H

#include <stddef.h>

#include "config/files/config_sink.h"

/* Pass every assignment of text, which need not be terminated, to the sink. */
enum kymo_status config_parse_json(const char *text, size_t length, const struct config_sink *sink,
				   struct problem *problem);

/* A JSON text whose objects are sections: its keys are full names, "tracing.enabled". */
enum kymo_status config_parse_sections(const char *text, size_t length,
				       const struct config_sink *sink, struct problem *problem);

#endif
