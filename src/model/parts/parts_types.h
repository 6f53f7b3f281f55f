/* A run's parts, which are threads of processes, and their shares of each region: parts.h makes
 * them.  Read-only once made. */
#ifndef KYMO_PARTS_TYPES_H
#define KYMO_PARTS_TYPES_H

#include "model/recording/recording.h"

struct part_share { /* of one part in one region; omitted if the part has none of it */
	uint32_t part;
	uint64_t count;
	double self_ns, total_ns;
	double work_ns;	      /* of self_ns: neither waited nor idle; CPU time if samples have it */
	double work_total_ns; /* likewise of total_ns */
};

/* How parts are grouped. */
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
	/* Lengths of the common prefix and suffix of their folders, which names leave out. */
	size_t run_front, run_back;
	char **folders; /* of the parts' runs, if no merged recording stores them */
	size_t folder_count;
	size_t process_count;
	size_t rank_count; /* 0 = no part has a rank */
	/* Of ranks, the last group is of parts without one, if there are any. */
	struct parts_groups groups[PARTS_BY_COUNT];
	bool has_whole_times; /* of some merged part: how much of its time is work is not known */
};

#endif
