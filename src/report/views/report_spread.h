/* Common code of the views of ranks, processes, threads and runs. */
#ifndef KYMO_REPORT_SPREAD_H
#define KYMO_REPORT_SPREAD_H

#include "report/report.h"

#include "model/parts/parts_spread.h"

/* As selected, else parts_by_default().  Fails if ranks are selected and there are none. */
enum kymo_status spread_group(const struct report *report, const struct parts *parts,
			      enum parts_by *by_out, struct problem *problem);

/* Marks of the regions whose names --filter selects; release with free(). */
enum kymo_status spread_filtered(const struct report *report, bool **marks_out,
				 struct problem *problem);

/* A view of the loaded parts, of the marked regions. */
typedef enum kymo_status spread_view(const struct report *report, const struct parts *parts,
				     const bool *marks, struct problem *problem);
/* Show that view; takes the marks, and frees them. */
enum kymo_status spread_show(const struct report *report, bool *marks, spread_view *view,
			     struct problem *problem);
/* Show that view of the regions whose names --filter selects. */
enum kymo_status spread_show_filtered(const struct report *report, spread_view *view,
				      struct problem *problem);

/* Called for each marked region that has any part. */
typedef void spread_add(void *context, uint32_t region);
void spread_add_marked(const struct report *report, const struct parts *parts, const bool *marks,
		       spread_add *add, void *context);

/* "rank", "process", "thread", "run", with an end that fits the count. */
const char *spread_noun(enum parts_by by, size_t count);

/* A bar of text, whose length is proportional to value / largest. */
#define SPREAD_BAR_MAX 24
const char *spread_bar(double value, double largest, char text[SPREAD_BAR_MAX + 1]);

/* "at least 1.2 s (rank 3), at most 2 s (rank 7); mean 1.5 s, standard deviation 0.3 s, ..." */
void spread_remark(const struct report *report, const struct parts *parts, enum parts_by by,
		   const struct parts_spread *spread);

/* Print a remark if --filter selects no region that has a part.  True if it did. */
bool spread_remark_unmatched(const struct report *report, const struct parts *parts,
			     const bool *marks);

/* Explain where waiting may be mistaken for work. */
void spread_remark_work(const struct report *report, const struct parts *parts, enum parts_by by);

/* The same as a table of one row. */
struct spread_table {
	const struct parts *parts;
	enum parts_by by;
	const struct parts_spread *spread;
	char text[REPORT_NAME_MAX];
};
struct table spread_table_of(struct spread_table *context);

#endif
