/* The table of kymo top. */
#ifndef KYMO_TOP_TABLE_H
#define KYMO_TOP_TABLE_H

#include <stdio.h>

#include "attach/sample/framecounts.h"

#define TOP_ROWS	20u /* if the terminal's height is unknown */
#define TOP_HEADER_ROWS 6u

enum top_order { TOP_SELF_NOW, TOP_TOTAL_NOW, TOP_SELF, TOP_TOTAL };

struct top_view {
	enum top_order order;
	double rate; /* that arrived in the interval */
	unsigned int width, rows;
};

void top_table(const struct top_view *view, const struct watch *watch,
	       const struct framecounts *counts, FILE *out);

#endif
