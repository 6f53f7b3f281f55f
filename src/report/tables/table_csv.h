/* Tables as comma-separated values, RFC 4180: one line per row, numbers unrounded. */
#ifndef KYMO_TABLE_CSV_H
#define KYMO_TABLE_CSV_H

#include <stdio.h>

struct table;

/* Numbers as measured, unrounded. */
void table_write_csv(const struct table *table, FILE *out);

#endif
