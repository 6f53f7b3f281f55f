/* Display options of `kymo report` and the end of a run. */
#ifndef KYMO_REPORT_OPTIONS_H
#define KYMO_REPORT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/parts/parts.h"
#include "model/profile/flat_view.h"

enum report_form { REPORT_TEXT, REPORT_JSON, REPORT_CSV, REPORT_MARKDOWN };
#define REPORT_FORMS "text,json,csv,markdown" /* in the order of the enum */

/* The others are read by programs: each value is a column, none is shortened. */
static inline bool report_form_is_for_people(enum report_form form)
{
	return form == REPORT_TEXT || form == REPORT_MARKDOWN;
}

struct report_options {
	enum report_form form;
	enum view_order order;
	uint64_t top;		  /* rows at most, 0 = all */
	uint32_t thread;	  /* KYMO_NO_THREAD = all */
	const char *filter;	  /* extended regular expression on names; NULL = all */
	unsigned int width;	  /* of a line of text, 0 = no limit */
	unsigned int table_width; /* of a table's, likewise */
	bool has_colour;
	struct sampled_options sampled;
	const char *region;	 /* --ranks: only the regions of that name; NULL = all */
	bool has_group;		 /* group was selected */
	enum parts_by group;	 /* how parts are grouped */
	uint64_t bins;		 /* of a histogram, 0 = by the number of values */
	const char *filter_file; /* --score: file for the rules, NULL = none */
	double above;		 /* --hot-path: continue while a callee has that many percent */
};

#endif
