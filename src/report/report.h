/* What `kymo report` and the end of a run show, in the form that was asked for.
 *
 * A report borrows everything it points to.  One thread. */
#ifndef KYMO_REPORT_H
#define KYMO_REPORT_H

#include "config/settings.h"
#include "model/parts/parts.h"
#include "model/profile/flat_view.h"
#include "model/profile/rows.h"
#include "model/profile/run_facts.h"
#include "report/report_options.h"
#include "report/tables/table.h"

struct report {
	const struct loaded_run *loaded;
	const struct run_facts *facts;
	const struct region_union *regions;
	const struct settings *settings;
	struct report_options options;
	double effective_count; /* of the samples behind what is shown */
	FILE *out;
};

struct report_interval { /* how sure an estimate is, with its text: "39.9-42.6" */
	struct sampled_share share;
	char text[32];
};
/* That of a part of the samples: both in the same unit. */
void report_interval(const struct report *report, double part, double whole,
		     struct report_interval *out);

/* The facts as a few lines of text. */
void report_write_facts(const struct report *report);

/* The views: report_<function>() for every row of views.def. */
#define VIEW(option, function, help, takes, order, top, of_samples)                                \
	enum kymo_status report_##function(const struct report *report, struct problem *problem);
#define VIEW_OF_NAME(option, function, help, takes, order, top, of_samples)                        \
	enum kymo_status report_##function(const struct report *report, const char *name,          \
					   struct problem *problem);
#include "report/views/views.def"
#undef VIEW_OF_NAME
#undef VIEW

/* What report_flat() and report_threads() show of a run that was loaded as samples. */
enum kymo_status report_sampled(const struct report *report, struct problem *problem);
enum kymo_status report_sampled_threads(const struct report *report, struct problem *problem);
/* A line on the machine and the process, where they were recorded over time; false: not. */
bool report_machine(const struct report *report, char *line_out, size_t size);

/* Write the table in the report's form; text and JSON begin with the facts when
 * has_facts.  rows_key names the rows in JSON. */
void report_write_table(const struct report *report, const struct table *table,
			const char *rows_key, bool has_facts);

/* Several tables in one: title is the line above it for people, but for the first. */
struct report_table {
	const struct table *table;
	const char *key, *title;
};
void report_write_tables(const struct report *report, const struct report_table *tables,
			 size_t count, bool has_facts);

/* One entry a region as the options choose and sort them; freed by flat_view_free(). */
enum kymo_status report_flat_view(const struct report *report, struct flat_view **out,
				  struct problem *problem);

/* Of these: how many rows are shown, and which each is.  However few regions are shown, the time
 * that is in none is. */
size_t report_flat_rows(const struct report *report, const struct flat_view *view);
const struct flat_entry *report_flat_entry(const struct report *report,
					   const struct flat_view *view, size_t row);

/* How many of count rows are shown; with the remark on those that are not, for a table. */
size_t report_row_count(const struct report *report, size_t count);
/* Where the last rest_count of count entries are what is no region: these are always shown.  How
 * many rows there are, and which entry a row is. */
size_t report_rows_and_rest(const struct report *report, size_t count, size_t rest_count);
size_t report_entry_at(const struct report *report, size_t count, size_t rest_count, size_t row);
void report_remark_rest(const struct report *report, size_t count, const char *noun);

/* A line under a table of text; nothing in the other forms. */
void report_write_remark(const struct report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
/* Under tables of call paths with estimated calls. */
#define REPORT_CALLS_REMARK                                                                        \
	"\n(calls with ~ are estimates: how often a function was called is exact, through whom "   \
	"is "                                                                                      \
	"known of the calls that were timed)"

/* "Class.method  file.py:12" for people.  size >= REPORT_NAME_MAX. */
#define REPORT_NAME_MAX 512
void report_region(const struct region *region, char *text, size_t size);

/* The cells of a region, with text to hold them: its name, for people with its place behind,
 * and the place alone, which is missing where none is known. */
struct table_cell report_name_cell(const struct region *region, bool is_for_people,
				   char text[REPORT_NAME_MAX]);
struct table_cell report_place_cell(const struct region *region, char text[REPORT_NAME_MAX]);

#endif
