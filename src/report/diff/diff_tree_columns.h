/* The columns of the table of call paths that differ, and their view. */
#ifndef KYMO_DIFF_TREE_COLUMNS_H
#define KYMO_DIFF_TREE_COLUMNS_H

#include "model/compare/diff_make.h"
#include "report/diff/diff_columns.h"

struct diff_tree_view {
	struct diff_texts texts;
	const struct diff_report *report;
	const struct diff *diff;
	uint32_t *sorted; /* nodes that may be shown, by their size; then siblings by parent */
	bool *is_chosen;  /* per node */
	uint32_t *shown;  /* nodes in the order of the table */
	size_t shown_count;
};

/* The verdict on a call path, as far as possible. */
enum diff_verdict diff_tree_verdict(const struct diff_tree_view *view,
				    const struct diff_node *node);

/* The table of the nodes with these numbers, with no audience yet.  Borrows both. */
struct table diff_tree_table(struct diff_tree_view *view, uint32_t *nodes, size_t count);

#endif
