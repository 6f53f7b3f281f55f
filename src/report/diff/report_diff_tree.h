/* The view of the call paths that differ, as a tree.  The caller releases out through its
 * release();  KYMO_MEMORY leaves it as it was.  Borrows the report and the filter (NULL = all). */
#ifndef KYMO_REPORT_DIFF_TREE_H
#define KYMO_REPORT_DIFF_TREE_H

#include "report/diff/report_diff_types.h"

struct name_filter;

enum kymo_status diff_view_tree(const struct diff_report *report, const struct name_filter *filter,
				struct diff_view *out);

#endif
