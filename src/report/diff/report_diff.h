/* What `kymo diff` shows, in the form that was asked for.  Borrows all it points to. */
#ifndef KYMO_REPORT_DIFF_H
#define KYMO_REPORT_DIFF_H

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
	double least;	    /* change that is shown: percent, or nanoseconds */
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

enum kymo_status report_diff(const struct diff_report *report, struct problem *problem);
/* The findings alone, a line a condition. */
void report_diff_findings(const struct diff_report *report, FILE *out);

struct name_filter;

struct diff_view { /* a table, with what is said below it */
	struct table table;
	const char *key;		/* of its rows in JSON */
	size_t more_count;		/* rows that differ, too, and are not shown */
	size_t rest_count;		/* rows of what is in no region, the last */
	size_t verdicts[DIFF_VERDICTS]; /* how many of the others of each */
	bool has_tests;
	bool is_unmatched; /* the filter matches no region of either side */
	void *data;	   /* the view's own */
	void (*release)(void *data);
};
/* The regions, or the call paths, that differ. */
enum kymo_status diff_view_regions(const struct diff_report *report,
				   const struct name_filter *filter, struct diff_view *out);
enum kymo_status diff_view_tree(const struct diff_report *report, const struct name_filter *filter,
				struct diff_view *out);

/* What the values of a table are about. */
enum diff_measure diff_order_measure(enum diff_order order);
double diff_value_of(const struct diff_value *value, enum diff_measure measure);
/* Whether that much is to be shown: not nothing, and not less than asked for. */
bool diff_is_shown(const struct diff_report *report, double before, double after);
/* "+45.1 %", "~+2.3 %" where it may be chance, "new", "gone"; to the right of its column. */
#define DIFF_CHANGE_MAX 32
void diff_change_text(const struct diff_value value[DIFF_SIDES], enum diff_measure measure,
		      enum diff_verdict verdict, char text[DIFF_CHANGE_MAX]);
/* "f  x.py:3 (was 10)", cut to size. */
void diff_region_text(const struct diff_region *region, char *text, size_t size);
enum table_tone diff_tone(enum diff_verdict verdict, double before, double after);

#endif
