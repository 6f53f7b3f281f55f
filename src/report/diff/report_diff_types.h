/* Inputs of a comparison's output, and a view of it.  Borrows all it points to. */
#ifndef KYMO_REPORT_DIFF_TYPES_H
#define KYMO_REPORT_DIFF_TYPES_H

#include "model/compare/diff_condition.h"
#include "report/report.h"

enum diff_order {
	DIFF_ORDER_SELF,
	DIFF_ORDER_TOTAL,
	DIFF_ORDER_MEAN,
	DIFF_ORDER_CALLS,
	DIFF_ORDER_CHANGE,
	DIFF_ORDER_NAME,
};
#define DIFF_ORDERS "self,total,mean,calls,change,name" /* in the order of the enum */

struct diff_report_options {
	enum report_form form;
	enum diff_order order;
	bool is_tree;
	uint64_t top;	    /* rows at most, 0 = all */
	const char *filter; /* extended regular expression on names; NULL = all */
	double least;	    /* smallest change that is shown: percent, or nanoseconds */
	bool least_is_percent;
	unsigned int width;	  /* of a line of text, 0 = no limit */
	unsigned int table_width; /* of a table's, likewise */
	bool has_colour;
};

struct diff_report {
	const struct diff *diff;
	const struct diff_findings *findings; /* of conditions; NULL = none were given */
	struct diff_report_options options;
	FILE *out;
};

struct diff_view { /* a table with its remarks; memory of command/xalloc.h */
	struct table table;
	const char *key;		/* of its rows in JSON */
	size_t more_count;		/* rows that differ, but are not shown */
	size_t rest_count;		/* rows of time outside regions, the last */
	size_t verdicts[DIFF_VERDICTS]; /* number of the other rows by verdict */
	bool has_tests;
	bool is_unmatched; /* the filter matches no region of either side */
};

#endif
