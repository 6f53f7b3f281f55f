/* Configuration files as XML.  Accepts any bytes; does not recurse.  Uses malloc.  Context: init.
 */
#ifndef KYMO_CONFIG_XML_H
#define KYMO_CONFIG_XML_H

#include <stddef.h>

#include "config/files/config_sink.h"

/* Pass every assignment of text, which need not be terminated, to the sink. */
enum kymo_status config_parse_xml(const char *text, size_t length, const struct config_sink *sink,
				  struct problem *problem);

#endif
