/* Makes recordings from known data: of imported files, and of merged runs.
 *
 * Its clock counts nanoseconds since its start, so that sums are whole numbers.  The file appears
 * under its name when it is complete.  Texts are copied.  One thread per writer; uses malloc.
 * Every function but the last two remembers the first failure, after which nothing is done, and
 * recording_writer_commit() reports it. */
#ifndef KYMO_RECORDING_WRITER_H
#define KYMO_RECORDING_WRITER_H

#include "model/tree/calltree.h"

struct recording_writer;

struct recording_writer_header {  /* content of the header */
	const char *program;	  /* NULL = no note */
	uint32_t pid, parent_pid; /* 0 = unknown */
	uint64_t start_realtime_ns;
	uint64_t duration_ns; /* extended if threads or events end later */
	uint64_t process_cpu_ns;
	int32_t exit_status; /* -1 = unknown */
	uint32_t flags;	     /* KYMO_HEADER_*; PROFILE and TRACE are set by content */
	uint8_t run_id[16];
	uint64_t lost_events, stack_aside_count, refused_chunks, refused_bytes;
	uint64_t cost_enter_exit_ps, cost_resume_ps, cost_c_call_ps, startup_ns, opening_ns;
	uint64_t startup_cpu_ns, closing_cpu_ns, beside_cpu_ns, coarse_late_ns;
	uint32_t metric_count;	 /* of each node */
	const uint32_t *metrics; /* as in the reader: enum kymo_metric, or own ones */
};

/* path: of the file, in an existing directory.  On failure *out is untouched. */
enum kymo_status recording_writer_new(const char *path, const struct recording_writer_header *made,
				      struct recording_writer **out, struct problem *problem);

/* The id of the region with these texts, kind, flags and line, found or added; from 1 on. */
uint32_t recording_writer_region(struct recording_writer *maker, const struct region *region);
/* The id of a region known to be new: memory stays bounded, however many there are.  Do not mix it
 * with the former. */
uint32_t recording_writer_new_region(struct recording_writer *maker, const struct region *region);
/* Costs that were not known when the recording was begun. */
void recording_writer_costs(struct recording_writer *maker, uint64_t enter_exit_ps,
			    uint64_t c_call_ps);

struct recording_writer_exact { /* of a node in a recording with KYMO_HEADER_MERGED */
	uint64_t self_ns;
	uint64_t squares, squares_high; /* sum_squares_ns as a whole number */
	const int64_t (*rests)[2]; /* per metric: remainders to add to sum and to sum_squares */
};

struct recording_writer_node {
	uint32_t thread, region;
	uint64_t parent; /* handle of its parent; 0: the thread's root, which is made automatically
			  */
	uint64_t count, closed_count;
	uint64_t sum_ns; /* inclusive: including its children */
	uint64_t min_ns, max_ns;
	double sum_squares_ns;
	bool is_folded;			       /* then sum_ns, min_ns … are of its own time */
	const struct calltree_metric *metrics; /* metric_count of them; NULL = none */
	const struct recording_writer_exact *exact;
};
/* Add a call path, parents before children, each once; returns its handle.  The time of a thread's
 * root is that of the thread. */
uint64_t recording_writer_node(struct recording_writer *maker,
			       const struct recording_writer_node *node);
/* The handle of a thread's root, with values that are known better than from the thread. */
uint64_t recording_writer_root(struct recording_writer *maker,
			       const struct recording_writer_node *node);
/* Set the final time of a node, if it was not known when it was made. */
void recording_writer_sum(struct recording_writer *maker, uint64_t handle, uint64_t sum_ns);

/* A number over time; thread may be KYMO_NO_THREAD, unit NULL. */
uint32_t recording_writer_series(struct recording_writer *maker, const char *name, const char *unit,
				 uint32_t thread);
void recording_writer_point(struct recording_writer *maker, uint32_t series, uint64_t ns,
			    double value);
void recording_writer_note(struct recording_writer *maker, enum kymo_note_kind kind,
			   const char *key, const char *value);

/* Values of a region, or of the calls of it by one caller, that are more exact than those of call
 * paths. */
struct recording_writer_total {
	uint32_t thread, region;
	uint32_t caller; /* a region, or KYMO_TOTAL_OF_REGION */
	uint64_t count, primitive_count;
	uint64_t self_ns, total_ns; /* total_ns: of outermost visits */
};
void recording_writer_total(struct recording_writer *maker,
			    const struct recording_writer_total *total);
/* Errors of a region's values, or of the calls of it by one caller. */
void recording_writer_estimate(struct recording_writer *maker,
			       const struct kymo_estimate *estimate);

/* Frees the maker in either case. */
enum kymo_status recording_writer_commit(struct recording_writer *maker, struct problem *problem);
void recording_writer_discard(struct recording_writer *maker);

#endif
