/* The page that shows a run: one self-contained HTML file.
 *
 * The page is the viewer (viewer/, bundled at build time) with the data of the run as sections:
 * each is one file page_<name>.c and one line in page_sections.def.  docs/page.md describes their
 * content.  Borrows everything it points to.  One thread. */
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
	bool is_served;		 /* by kymo view --serve: it may poll its server for updates */
	uint64_t timeline_bytes; /* of the timeline at most, before finer details are left out */
	/* Only that part of the timeline, nanoseconds since the run's start; to 0 = to its end. */
	uint64_t timeline_from_ns, timeline_to_ns;
	struct sampled_options sampled; /* as the run was loaded with, including the weight */
	/* The runs it is compared with; and how many runs like it the page stands for, 0 = one. */
	const struct loaded_run *const *before, *const *after;
	size_t before_count, after_count;
	bool has_no_sources; /* leave out the texts of sources */
	bool wants_sources;  /* include them, whoever wrote the run */
};

struct page {
	const struct loaded_run *loaded;
	struct run_facts *facts;
	struct region_union *regions;
	struct flat_view *flat;		   /* of all processes and threads */
	struct recording_samples *samples; /* by tree, for the timeline */
	struct source_lines *lines;	   /* in samples */
	struct activities *activities;
	struct page_options options;
};

/* Each is "const struct page_section page_<name>_section" in its file. */
struct page_section {
	/* Writes nothing if there is nothing to show. */
	void (*write)(const struct page *page, struct page_out *out);
	/* Refuses what cannot be shown before anything is written; NULL = never. */
	enum kymo_status (*check)(const struct page *page, struct problem *problem);
};

#define PAGE_TIMELINE_BYTES (UINT64_C(24) << 20)

/* Prepare the data of a run and write its page; fails if a section refuses it. */
enum kymo_status page_write(const struct loaded_run *loaded, const struct page_options *options,
			    FILE *out, struct problem *problem);

#endif
