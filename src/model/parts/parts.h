/* Who did how much of what: each region's calls and times by thread, process, rank and run.
 *
 * A part is one thread of one process.  They come from the trees of a run; of a merged run
 * from what it keeps of those that were merged.  Borrows the run and the union of its regions.
 * Read-only once made. */
#ifndef KYMO_PARTS_H
#define KYMO_PARTS_H

#include "model/profile/loaded_run.h"
#include "model/profile/region_union.h"

struct part_share { /* of one part in one region; parts that have none of it are left out */
	uint32_t part;
	uint64_t count;
	double self_ns, total_ns;
	double work_ns; /* of self_ns: neither waited nor idle; CPU time where samples tell it */
	double work_total_ns; /* likewise of total_ns */
};

/* What parts are put together to. */
enum parts_by { PARTS_BY_THREAD, PARTS_BY_PROCESS, PARTS_BY_RANK, PARTS_BY_RUN, PARTS_BY_COUNT };
#define PARTS_BY_WORDS "thread,process,rank,run" /* in the order of the enum */

struct parts_groups {
	uint32_t *of;	 /* per part: its group */
	uint32_t *first; /* per group: one of its parts */
	size_t count;
	double student; /* quantile at 97.5 % for as many values as a region has */
};

struct parts {
	struct recording_part *parts; /* by run, rank, start of the process and thread */
	size_t count;
	struct part_share *shares; /* by region, then by part */
	size_t *first;		   /* per region of the union, and one more: index into shares */
	size_t run_count;	   /* repeated runs */
	/* Of their folders, in bytes: what all have in front and behind, and names leave out. */
	size_t run_front, run_back;
	char **folders; /* of the parts' runs, where no merged recording has them */
	size_t folder_count;
	size_t process_count;
	size_t rank_count; /* 0 = no part has a rank */
	/* Of ranks, the last is of the parts that have none, if there are such. */
	struct parts_groups groups[PARTS_BY_COUNT];
	bool has_whole_times; /* of some merged part: what of its time is work is not known */
};

enum kymo_status parts_new(const struct loaded_run *loaded, const struct region_union *regions,
			   struct parts **out, struct problem *problem);
void parts_free(struct parts *parts);

/* Of one region: a value for each group of parts, those without any included. */
struct parts_spread {
	size_t count;
	double *values; /* nanoseconds, in the order of the groups */
	double sum, min, max, mean, deviation, median;
	size_t min_at, max_at;
	double imbalance; /* max / mean - 1: the part of the mean that all wait longer; 0 = even */
	double low, high; /* 95 % interval of the mean, by Student's t; NAN = fewer than two */
};

/* The group a part belongs to, and what it is called: "rank 3", "worker 4711", "thread 2". */
size_t parts_group(const struct parts *parts, enum parts_by by, size_t part);
size_t parts_group_count(const struct parts *parts, enum parts_by by);
void parts_group_name(const struct parts *parts, enum parts_by by, size_t group, char *text,
		      size_t size);

/* Where nobody says: ranks, else repeated runs of one process, else processes, else threads,
 * whatever there are several of. */
enum parts_by parts_by_default(const struct parts *parts);

#endif
