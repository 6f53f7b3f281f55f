/* The boxed table, as in timemory's text outputs. */
#ifndef KYMO_TABLE_BOXED_H
#define KYMO_TABLE_BOXED_H

#include <stdio.h>

struct table;

/* The boxed form with a banner over the columns; texts longer than text_limit (0 = no limit) end in
 * "...". */
void table_write_boxed(const struct table *table, const char *banner, unsigned int text_limit,
		       FILE *out);

#endif
