/* Getters for tables whose rows are call paths: struct row of model/profile/rows.h. */
#ifndef KYMO_TABLE_ROWS_H
#define KYMO_TABLE_ROWS_H

#include "report/tables/table_get.h"

/* The number of calls, which may be an estimate, and its bounds. */
struct table_cell table_get_row_calls(const struct table_item *item);
struct table_cell table_get_row_calls_low(const struct table_item *item);
struct table_cell table_get_row_calls_high(const struct table_item *item);

/* The mean of a call; missing without calls. */
struct table_cell table_get_row_mean(const struct table_item *item);

#endif
