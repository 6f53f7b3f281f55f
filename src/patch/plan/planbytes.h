/* A plan's bytes, as they are stored in a file (plan_file.h).  One thread; uses malloc. */
#ifndef KYMO_PLANBYTES_H
#define KYMO_PLANBYTES_H

#include <stddef.h>

#include "base/status.h"

struct plan_maker;

/* The last step of making a plan: serialise the maker's results.  The caller frees the bytes.
 * KYMO_OK, or KYMO_MEMORY. */
enum kymo_status planbytes_make(struct plan_maker *maker, unsigned char **bytes_out,
				size_t *size_out);

#endif
