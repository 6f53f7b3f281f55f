/* CPython's marshal format, as far as pstats needs it: dictionaries, tuples, integers, floats and
 * text.  Version 2 of the format, which every Python 3 reads; no references.
 *
 * A dictionary is marshal_dict_begin(), alternating keys and values, marshal_dict_end(); a tuple is
 * marshal_tuple() and that many objects.  Errors are the sink's. */
#ifndef KYMO_MARSHAL_H
#define KYMO_MARSHAL_H

#include <stdint.h>

#include "export/export_sink.h"

void marshal_dict_begin(struct export_sink *sink);
void marshal_dict_end(struct export_sink *sink);
void marshal_tuple(struct export_sink *sink, uint32_t count);
void marshal_integer(struct export_sink *sink, int64_t value);
void marshal_float(struct export_sink *sink, double value);
/* Bytes that are not UTF-8 are replaced; surrogates are kept. */
void marshal_text(struct export_sink *sink, const char *text);

#endif
