/* The views of `kymo report`: one row each, with the option that asks for it, the options that
 * go with it, and the function that writes it.  Context: init. */
#ifndef KYMO_REPORT_VIEWS_H
#define KYMO_REPORT_VIEWS_H

#include "cli/options/options.h"
#include "report/report.h"

/* Options that not every view takes. */
#define VIEW_FILTER	 1u
#define VIEW_SORT	 2u
#define VIEW_THREAD	 4u
#define VIEW_REGION	 8u
#define VIEW_GROUP	 16u
#define VIEW_BINS	 32u
#define VIEW_ABOVE	 64u
#define VIEW_RULES	 128u
/* None of these: samples are weighed by wall time in it unless --by says otherwise. */
#define VIEW_OF_ALL_TIME 256u

struct report_view {
	const char *option;   /* without its dashes */
	const char *argument; /* name of what it is about, NULL = nothing */
	const char *help;
	unsigned int takes;    /* VIEW_*, and VIEW_OF_ALL_TIME */
	enum view_order order; /* where --sort is not given */
	uint64_t top;	       /* rows of text where --top is not given */
	bool needs_samples;
	enum kymo_status (*write)(const struct report *report, struct problem *problem);
	/* In its place where there is an argument. */
	enum kymo_status (*write_named)(const struct report *report, const char *name,
					struct problem *problem);
};

#define REPORT_VIEWS_MAX 24
extern const struct report_view report_views[];
extern const size_t report_view_count;

struct view_choice { /* what the command line says; zeros before */
	bool flags[REPORT_VIEWS_MAX];
	const char *names[REPORT_VIEWS_MAX];
	unsigned int given; /* VIEW_* of the options that are there */
	/* Settled: */
	const struct report_view *view;
	const char *name;
};

/* Append an option a view to rows, of which there is room for REPORT_VIEWS_MAX more. */
void view_options(struct view_choice *choice, struct option_row *rows, size_t *count);

/* The one view that is asked for, and whether what is given goes with it. */
enum kymo_status view_resolve(struct view_choice *choice, struct problem *problem);

#endif
