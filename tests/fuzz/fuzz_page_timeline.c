/* Any bytes as a recording, made a page: what the reader lets through must not upset its
 * sections, and the timeline keeps to its size. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "model/profile/loaded_run.h"
#include "model/recording/recording_open.h"
#include "view/page.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void write_page(const struct loaded_run *loaded, const struct page_options *options)
{
	struct problem problem = {{0}};
	FILE *out = fopen("/dev/null", "w");

	if (!out)
		abort();
	/* Whatever fails says why. */
	if (page_write(loaded, options, out, &problem) != KYMO_OK && !problem.text[0])
		abort();
	fclose(out);
}

static void write_pages(struct recording *recording, bool is_sampled)
{
	const struct page_options whole = {.timeline_bytes = 1 << 20};
	const struct page_options part = {.timeline_from_ns = 10, .timeline_to_ns = 1000};
	struct run run = {
		.path = (char *)(uintptr_t) "fuzz", .recordings = &recording, .recording_count = 1};
	const struct calltree *trees[1];
	const struct samples *all_samples[1] = {NULL};
	struct loaded_run loaded = {
		.run = &run,
		.trees = trees,
		.samples = all_samples,
		.tree_count = 1,
	};
	struct calltree *tree = NULL;
	struct samples *samples = NULL;

	if (samples_new(recording, &samples, NULL) == KYMO_OK)
		all_samples[0] = samples;
	loaded.has_samples = samples && samples->count > 0;
	loaded.is_sampled = is_sampled && loaded.has_samples;
	if (calltree_new(recording, &tree, NULL) == KYMO_OK) {
		trees[0] = tree;
		write_page(&loaded, &whole);
		write_page(&loaded, &part);
	}
	calltree_free(tree);
	samples_free(samples);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	for (int is_sampled = 0; is_sampled < 2; is_sampled++) {
		struct recording *recording = NULL;

		if (recording_open_bytes(data, size, &recording, NULL) != KYMO_OK)
			return 0;
		write_pages(recording, is_sampled);
		recording_free(recording);
	}
	return 0;
}
