/* Joins sorted runs to the regions and call paths of a recording: all runs are read in parallel, so
 * that memory only holds one path and the current item of each run. */
#ifndef KYMO_MERGE_JOIN_H
#define KYMO_MERGE_JOIN_H

#include "merge/inputs/merge_spill.h"
#include "writer/recording_writer.h"

struct merge_joined {
	struct recording_writer *maker;
	const uint32_t *metric_ids; /* of the recording: those of the runs that are kept */
	uint32_t metric_count;
	/* Ids in the recording of a run's regions: by run, maps[run.first + rank]. */
	uint32_t *map;
	uint64_t map_bytes, *first;
	const struct merge_spill *spill;
	/* Regions that are threads come last: their names, from the id of the first. */
	char **threads;
	uint32_t *thread_flags;
	size_t thread_count;
	size_t thread_capacity;
	uint32_t first_thread;
	/* Sums over all nodes. */
	merge_natural call_count, c_call_count;
	unsigned char *is_c; /* by region id, a bit each: it is a C function */
	size_t is_c_capacity;
};

/* The spilled runs' metrics, in the order of a merged recording: known ones by value, then named
 * ones by name.  Returns their number, at most KYMO_METRICS_MAX. */
uint32_t merge_join_metrics(const struct merge_spill *spill, uint32_t *ids_out);
enum kymo_status merge_join_regions(struct merge_joined *joined, struct merge_spill *spill,
				    struct problem *problem);
/* The id of a region of a run; 0 = invalid. */
static inline uint32_t merge_join_region(const struct merge_joined *joined, size_t run,
					 uint32_t rank)
{
	return joined->map[joined->first[run] + rank];
}
void merge_joined_release(struct merge_joined *joined);

#endif
