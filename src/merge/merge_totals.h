/* Totals over all processes of a merged recording, besides the tree: sums that are stored in the
 * header, and others that are stored exactly in notes. */
#ifndef KYMO_MERGE_TOTALS_H
#define KYMO_MERGE_TOTALS_H

#include "merge/merge_exact.h"
#include "writer/recording_writer.h"

/* INFO note of every merged recording, for people. */
#define MERGE_NOTE "merged"

struct merge_totals {
	uint64_t refused_chunks, refused_bytes, lost_events, stack_aside_count;
	uint64_t startup_ns, opening_ns, process_cpu_ns;
	uint64_t startup_cpu_ns, closing_cpu_ns, beside_cpu_ns, coarse_late_ns;
	uint64_t start_realtime_ns; /* earliest; UINT64_MAX = none yet */
	uint64_t duration_ns;	    /* longest */
	int32_t exit_status;	    /* of all; -1 = unknown or not the same */
	bool has_exit_status;
	merge_natural enter_cost_ps, c_call_cost_ps; /* of all calls */
	merge_natural effective;		     /* samples, thousandths */
	uint64_t left_out;			     /* processes with samples only */
	uint64_t lost_samples;
	uint64_t series, traces; /* processes that had some, which are not merged */
};

void merge_totals_init(struct merge_totals *totals);
/* Add those of a recording; tree: of its calls, NULL if it is merged. */
void merge_totals_read(struct merge_totals *totals, const struct recording *recording,
		       const struct calltree *tree);
/* Whether an INFO note holds one of them. */
bool merge_totals_has_note(const char *key);
/* The header of a recording with these totals, except program, run_id and metrics. */
struct recording_writer_header merge_totals_header(const struct merge_totals *totals,
						   bool is_sampled);
void merge_totals_write(const struct merge_totals *totals, struct recording_writer *maker,
			bool is_sampled);
/* The average cost of a call: picoseconds; 0 = not known. */
uint64_t merge_totals_mean(merge_natural cost, merge_natural calls);

#endif
