/* The largest paths of a profile, if a table has no space for all of them.
 *
 * A path's size is its time, or that of the largest path below it if that is more (a thread may
 * outlive its creator's node): so a path is never left out before one below it, and the rest is a
 * tree.  One thread; uses malloc. */
#ifndef KYMO_ROWS_LARGEST_H
#define KYMO_ROWS_LARGEST_H

#include "model/profile/rows.h"

/* Of each row the number of the row that called it; the caller frees.  NULL when out of memory. */
#define ROWS_NO_PARENT UINT32_MAX
uint32_t *rows_parents_new(const struct rows *rows);

/* Indexes of the rows, the largest path first; the caller frees.  NULL when out of memory. */
uint32_t *rows_order_new(const struct rows *rows);

/* The first count rows of that order as rows of their own, in the order of a table, the largest of
 * each caller's callees first.  They note how much is left out, borrow what rows has, and are freed
 * with rows_free(). */
enum kymo_status rows_largest_new(const struct rows *rows, const uint32_t *order, size_t count,
				  struct rows **out);

#endif
