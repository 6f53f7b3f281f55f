/* The view of the call paths that differ, as a tree.  Borrows the report and the filter
 * (NULL = all). */
#ifndef KYMO_REPORT_DIFF_TREE_H
#define KYMO_REPORT_DIFF_TREE_H

#include "report/diff/report_diff_types.h"

struct name_filter;

struct diff_view diff_view_tree(const struct diff_report *report, const struct name_filter *filter);

#endif
