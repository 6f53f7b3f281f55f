/* The data of a run's timeline, collected from its traces, samples and series.
 *
 * One pass over each trace, in memory bounded by options.timeline_bytes.  Borrows the page's parts.
 * One thread. */
#ifndef KYMO_TIMELINE_DATA_H
#define KYMO_TIMELINE_DATA_H

#include "view/page.h"
#include "view/timeline/lod_store.h"
#include "view/timeline/timeline_messages.h"
#include "view/timeline/timeline_series.h"

/* Size of a message in the page, at most. */
#define MESSAGE_BYTES	 40u
#define TIMELINE_DENSITY 1024u /* steps of the overview */

struct timeline_line { /* one series */
	uint32_t process, number;
	struct timeline_series data;
};

struct timeline_data {
	uint64_t origin_ns; /* CLOCK_REALTIME: when the run began */
	uint64_t span_ns;
	uint64_t from_ns, to_ns; /* displayed range: all of it, or a window */
	struct lod_store slices; /* and samples, and states */
	struct lod_store marks;
	struct messages messages;
	size_t messages_at_once;	    /* shown at most in each part of the run */
	uint64_t density[TIMELINE_DENSITY]; /* slices and samples that began, of the whole run */
	struct timeline_line *lines;
	size_t line_count, line_left_out_count;
};

/* KYMO_USAGE if the timeline of the page would begin after the end of the run. */
enum kymo_status timeline_check(const struct page *page, struct problem *problem);
/* The caller releases it. */
void timeline_data_collect(struct timeline_data *data, const struct page *page);
void timeline_data_release(struct timeline_data *data);

#endif
