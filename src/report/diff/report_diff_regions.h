/* The view of the regions that differ, a row each.  Borrows the report and the filter
 * (NULL = all). */
#ifndef KYMO_REPORT_DIFF_REGIONS_H
#define KYMO_REPORT_DIFF_REGIONS_H

#include "report/diff/report_diff_types.h"

struct name_filter;

struct diff_view diff_view_regions(const struct diff_report *report,
				   const struct name_filter *filter);

#endif
