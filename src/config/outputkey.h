/* Values of the keys in output names.  Context: init. */
#ifndef KYMO_OUTPUTKEY_H
#define KYMO_OUTPUTKEY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/text/textbuf.h"
#include "config/outputname.h"

/* Append the value of the key with this name ("tag", "arg2_hash"); false when there is no
 * such key. */
bool output_key_put(struct textbuf *text, const struct output_context *context, const char *name,
		    size_t length);

/* Variable of the context's environment; NULL when it is not set. */
const char *output_environment(const struct output_context *context, const char *name);

#endif
