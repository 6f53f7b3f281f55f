/* The regions of merged recordings, each once, by all their properties: names, not ids, make two
 * regions of different processes the same.  Threads are among them, by their names, as roots of a
 * tree.
 *
 * One thread; uses malloc. */
#ifndef KYMO_MERGE_REGIONS_H
#define KYMO_MERGE_REGIONS_H

#include "base/hashset.h"
#include "merge/merge_texts.h"
#include "model/recording/recording.h"

/* The kind of those that stand for a thread: after all others. */
#define MERGE_REGION_THREAD 0xffffffffu

#define MERGE_REGION_TEXTS 5

struct merge_region {
	uint32_t kind, flags;
	uint32_t line;
	uint16_t argument_count, local_count;
	uint32_t stack_size;
	const char *texts[MERGE_REGION_TEXTS]; /* name, qualname, module, file, arguments */
};

struct merge_regions {
	struct merge_region *items;
	size_t count, capacity;
	struct hashset by_content;
	struct merge_texts texts;
};

#define MERGE_NO_REGION UINT32_MAX

struct merge_region merge_region_of(const struct region *region);
struct merge_region merge_region_of_thread(const struct thread *thread);
/* Its number, found or added; MERGE_NO_REGION = no memory. */
uint32_t merge_regions_add(struct merge_regions *regions, const struct merge_region *region);
/* The order of a merged recording: by kind, texts, line and the rest. */
int merge_region_compare(const struct merge_region *a, const struct merge_region *b);
/* Numbers in that order, and the position of each in it: arrays of count; false = no memory. */
bool merge_regions_sort(const struct merge_regions *regions, uint32_t **order_out,
			uint32_t **rank_out);
/* Approximate memory use. */
uint64_t merge_regions_bytes(const struct merge_regions *regions);
void merge_regions_release(struct merge_regions *regions);

#endif
