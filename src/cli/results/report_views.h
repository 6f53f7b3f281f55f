/* The views of `kymo report`: one row each, with its option, the options that it accepts, and the
 * function that writes it.  Context: init. */
#ifndef KYMO_REPORT_VIEWS_H
#define KYMO_REPORT_VIEWS_H

#include "cli/options/options.h"
#include "report/report.h"

/* Options that only some views accept. */
#define VIEW_FILTER	 1u
#define VIEW_SORT	 2u
#define VIEW_THREAD	 4u
#define VIEW_REGION	 8u
#define VIEW_GROUP	 16u
#define VIEW_BINS	 32u
#define VIEW_ABOVE	 64u
#define VIEW_RULES	 128u
/* None of these: samples are weighted by wall time in it unless --by is given. */
#define VIEW_OF_ALL_TIME 256u

struct report_view {
	const char *option;   /* without the dashes */
	const char *argument; /* name of its argument, NULL = none */
	const char *help;
	unsigned int takes;    /* VIEW_*, and VIEW_OF_ALL_TIME */
	enum view_order order; /* without --sort */
	uint64_t top;	       /* rows of text without --top */
	bool needs_samples;
	enum kymo_status (*write)(const struct report *report, struct problem *problem);
	/* Used instead if there is an argument. */
	enum kymo_status (*write_named)(const struct report *report, const char *name,
					struct problem *problem);
};

#define REPORT_VIEWS_MAX 24
extern const struct report_view report_views[];
extern const size_t report_view_count;

struct view_choice { /* the view options of the command line; initialised to zeros */
	bool flags[REPORT_VIEWS_MAX];
	const char *names[REPORT_VIEWS_MAX];
	unsigned int given; /* VIEW_* of the options that were given */
	/* Resolved: */
	const struct report_view *view;
	const char *name;
};

/* Append one option per view to rows, which has a capacity of REPORT_VIEWS_MAX more. */
void view_options(struct view_choice *choice, struct option_row *rows, size_t *count);

/* Determine the requested view, and whether the given options apply to it. */
enum kymo_status view_resolve(struct view_choice *choice, struct problem *problem);

#endif
