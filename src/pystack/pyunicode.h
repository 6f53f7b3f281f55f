/* Strings of the interpreter as UTF-8. */
#ifndef KYMO_PYUNICODE_H
#define KYMO_PYUNICODE_H

#include "pystack/pyread.h"

/* The str object as NUL-terminated UTF-8, truncated between characters; lone surrogates are kept as
 * three bytes.  *type_out: its type.  False: not a valid str.  Context: any. */
bool pyunicode_read(const struct pylayout *layout, struct pyreader *reader, uint64_t text, char *to,
		    size_t size, uint64_t *type_out);

#endif
