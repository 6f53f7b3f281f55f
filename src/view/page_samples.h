/* The samples of a page's processes as stacks of regions.
 *
 * Opening adds regions to the recordings: do it before their regions are numbered. */
#ifndef KYMO_PAGE_SAMPLES_H
#define KYMO_PAGE_SAMPLES_H

#include "view/page.h"

/* One per tree; those of processes without samples are empty. */
struct recording_samples *page_samples_open(const struct loaded_run *loaded,
					    const struct sampled_options *options);
void page_samples_close(struct recording_samples *samples, const struct loaded_run *loaded);

#endif
