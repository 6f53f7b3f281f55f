/* Sorts rows by columns, which are named by their keys.
 *
 * Amounts are sorted largest first; texts, and numbers that are no amounts (TABLE_ID), in ascending
 * order. Ties are sorted by the next column; the sort is stable.  Cells that are no numbers come
 * last. */
#ifndef KYMO_TABLE_SORT_H
#define KYMO_TABLE_SORT_H

#include "report/tables/table.h"

#define TABLE_SORT_MAX 6 /* columns */

/* All rows in their original order: count indexes, memory of command/xalloc.h. */
uint32_t *table_order_new(size_t count);

/* Sort the first count indexes of table->order by the columns with these keys, whose list ends with
 * NULL. */
void table_sort(struct table *table, size_t count, const char *const *keys);

/* Keep top rows, and the last rest_count of all, whose indexes are moved up. */
void table_keep(struct table *table, size_t count, size_t top, size_t rest_count);

#endif
