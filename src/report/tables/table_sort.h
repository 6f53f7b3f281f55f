/* The one order of rows: by columns, which are named by their keys.
 *
 * Amounts come largest first; texts, and numbers that count nothing (TABLE_ID), in ascending order.
 * Of rows that the first column does not tell apart the next one decides; those that none does stay
 * as they lie.  What is no number comes last. */
#ifndef KYMO_TABLE_SORT_H
#define KYMO_TABLE_SORT_H

#include "report/tables/table.h"

#define TABLE_SORT_MAX 6 /* columns */

/* Every row that there is, as it lies: count numbers, of command/xalloc.h. */
uint32_t *table_order_new(size_t count);

/* Put the first count numbers of table->order into the order of the columns with these keys, whose
 * list ends with NULL. */
void table_sort(struct table *table, size_t count, const char *const *keys);

/* Keep so many rows, and the last rest_count of all: moves the numbers of these up to them. */
void table_keep(struct table *table, size_t count, size_t top, size_t rest_count);

#endif
