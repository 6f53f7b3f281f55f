/* The page that shows a run: one HTML file that holds all it needs.
 *
 * The page is the viewer (viewer/, put together at build time) with the data of the run as
 * sections: each is one file page_<name>.c and one line in page_sections.def.  What they
 * hold is docs/page.md.  Borrows everything it points to.  One thread. */
#ifndef KYMO_PAGE_H
#define KYMO_PAGE_H

#include <stdio.h>

#include "model/findings/activity.h"
#include "model/profile/flat_view.h"
#include "model/profile/run_facts.h"
#include "model/samples/sampled_paths.h"
#include "model/sources/source_files.h"

struct page_out;

struct page_options {
	bool is_served;		 /* by kymo view --serve: it may ask its server for news */
	uint64_t timeline_bytes; /* of the timeline at most, before what is finer is left out */
	/* Only that part of the timeline, nanoseconds since the run's start; to 0 = to its end. */
	uint64_t timeline_from_ns, timeline_to_ns;
	struct sampled_options sampled; /* as the run was loaded with, which says the weight */
	/* What it is compared with; and of how many like it the page is one, 0 = it alone. */
	const struct loaded_run *const *before, *const *after;
	size_t before_count, after_count;
	bool has_no_sources; /* the texts of sources stay out */
	bool wants_sources;  /* they were asked for, whoever wrote the run */
};

struct page {
	const struct loaded_run *loaded;
	struct run_facts *facts;
	struct region_union *regions;
	struct flat_view *flat;		   /* of all processes and threads */
	struct recording_samples *samples; /* by tree, for the timeline */
	struct source_lines *lines;	   /* that samples met */
	struct activities *activities;
	struct page_options options;
};

/* Each is "const struct page_section page_<name>_section" in its file. */
struct page_section {
	/* Nothing is written where there is nothing to show. */
	void (*write)(const struct page *page, struct page_out *out);
	/* What cannot be shown is refused before anything is written; NULL = all can. */
	enum kymo_status (*check)(const struct page *page, struct problem *problem);
};

#define PAGE_TIMELINE_BYTES (UINT64_C(24) << 20)

/* Make what a page needs of a run and write it; fails where a section refuses it. */
enum kymo_status page_write(const struct loaded_run *loaded, const struct page_options *options,
			    FILE *out, struct problem *problem);

#endif
