/* The flat report: one row a region, largest first. */
#ifndef KYMO_REPORT_FLAT_H
#define KYMO_REPORT_FLAT_H

#include <stddef.h>

#include "base/status.h"

struct flat_entry;
struct flat_view;
struct report;

/* One entry a region as the options choose and sort them; freed by flat_view_free(). */
enum kymo_status report_flat_view(const struct report *report, struct flat_view **out,
				  struct problem *problem);

/* Of these: how many rows are shown, and which each is.  However few regions are shown, the time
 * that is in none is. */
size_t report_flat_rows(const struct report *report, const struct flat_view *view);
const struct flat_entry *report_flat_entry(const struct report *report,
					   const struct flat_view *view, size_t row);

#endif
