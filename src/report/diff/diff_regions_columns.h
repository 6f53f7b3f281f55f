/* The columns of the table of regions that differ, and their view. */
#ifndef KYMO_DIFF_REGIONS_COLUMNS_H
#define KYMO_DIFF_REGIONS_COLUMNS_H

#include "model/compare/diff_make.h"
#include "report/diff/diff_columns.h"

struct diff_regions_view {
	struct diff_texts texts;
	const struct diff_report *report;
	uint32_t *regions;		   /* shown ones, in order */
	size_t count, rest_count;	   /* including time outside regions, which comes last */
	struct diff_judgement *judgements; /* by number of the region */
};

/* The table of view->regions, with no audience yet.  Borrows the view. */
struct table diff_regions_table(struct diff_regions_view *view);

#endif
