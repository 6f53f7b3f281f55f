/* The flat report: one row per region, largest first. */
#ifndef KYMO_REPORT_FLAT_H
#define KYMO_REPORT_FLAT_H

#include "base/status.h"

struct flat_view;
struct report;
struct table;

/* One entry per region of the selected thread; freed by flat_view_free(). */
struct flat_view *report_flat_all(const struct report *report);
/* Likewise of those that the filter accepts; freed by flat_view_free(). */
enum kymo_status report_flat_view(const struct report *report, struct flat_view **out,
				  struct problem *problem);

/* Make its entries the rows of the table, in the selected order, ties by name; time outside regions
 * stays last. */
void report_flat_order(const struct report *report, const struct flat_view *view,
		       struct table *table);

#endif
