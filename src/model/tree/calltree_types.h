/* Types of a call-path tree: every thread's tree in one array, in nanoseconds, with self times and
 * ordered children.  calltree.h makes one from a recording, calltree_build.h is for code that
 * builds one. */
#ifndef KYMO_CALLTREE_TYPES_H
#define KYMO_CALLTREE_TYPES_H

#include "model/recording/recording.h"

#define CALLTREE_NONE		UINT32_MAX
/* INFO note of a recording with KYMO_HEADER_SAMPLED: calltree.effective_count. */
#define CALLTREE_EFFECTIVE_NOTE "effective samples"

struct calltree_metric { /* one metric of one node, in the metric's unit */
	uint64_t count;
	double sum, min, max, sum_squares;
};

struct calltree_node {
	uint32_t region;
	uint32_t thread;
	uint32_t parent;      /* indexes into nodes; CALLTREE_NONE = none */
	uint32_t first_child; /* children in order of first enter */
	uint32_t next_sibling;
	uint32_t depth;	       /* roots (threads) 0, so rows of a table are depth - 1 */
	uint64_t count;	       /* enters; 0 for one that was inherited and not re-entered */
	uint64_t closed_count; /* visits that ended: what min, max, sum_squares describe */
	/* Without the overhead of measuring, if that is known: see calltree.measuring_ns. */
	double sum_ns;	       /* inclusive; never less than the sum of the children */
	double self_ns;	       /* exclusive; never negative */
	double min_ns, max_ns; /* 0 when closed_count is 0 */
	double sum_squares_ns; /* ns^2 */
	bool is_open;	       /* not left when the recording ended */
	bool is_folded;	       /* stands for all deeper visits of its region */
	/* count is an estimate: its 95 % interval. */
	bool is_count_estimated;
	uint64_t count_low, count_high;
	uint32_t creates_thread; /* first thread created while this node was open, or NONE: further
				    ones through calltree.thread_next[] */
};

/* Errors of the estimated times of a counted function: the 95 % interval is so much below and
 * above. */
struct calltree_estimate {
	bool is_known;
	bool has_unsure_calls;	  /* the numbers of calls by path are estimates, too */
	double total_ns, self_ns; /* call paths may exceed them, since errors may not add up */
	double total_below_ns, total_above_ns;
	double self_below_ns, self_above_ns;
	/* The systematic part of these errors: the same direction everywhere, so it adds up. */
	double total_off_below_ns, total_off_above_ns;
	double self_off_below_ns, self_off_above_ns;
	/* Of calls by a caller, likewise; 0 where they are exact. */
	double calls, calls_below, calls_above;
};

struct calltree_estimated { /* of one thread */
	uint32_t thread;
	uint32_t caller; /* region: of the calls that it made; CALLTREE_NONE = of all calls */
	uint32_t region;
	struct calltree_estimate estimate;
};

/* Of one thread, where visits were counted and not timed: how often it was seen, for how many ticks
 * that stands, and the sum of the squares of what each stands for. */
struct calltree_positions {
	uint64_t count, ticks;
	double squares;
	uint64_t last_ticks; /* when it was seen last, and at which node */
	uint32_t last;
};

struct calltree {
	const struct recording *recording;
	struct calltree_node *nodes; /* parents before children */
	uint32_t node_count;
	uint32_t *thread_root; /* per thread number: index of its root or CALLTREE_NONE */
	uint32_t *thread_next; /* per thread number: next thread created at the same node */
	struct calltree_metric *metrics; /* node_count rows of metric_count, may be NULL */
	const uint32_t *metric_ids; /* enum kymo_metric of each: the recording's, or own ones */
	uint32_t metric_count;
	uint64_t call_count;	       /* sum of all counts but the roots' */
	uint64_t c_call_count;	       /* of these, C functions */
	uint64_t resume_count;	       /* likewise, visits of Python's generators */
	uint64_t function_call_count;  /* likewise, instrumented functions */
	uint64_t throttled_call_count; /* of these, only counted: without times and callers */
	uint64_t timed_call_count;     /* of these, where calls are counted and some timed */
	uint64_t impossible_count;     /* impossible values, replaced by 0 */
	uint64_t dropped_count;	       /* damaged nodes left out, or events when replayed */
	bool is_replayed;	       /* made from the trace */
	double measuring_ns;	       /* excluded from the times, in no node */
	double functions_cost_ns; /* of recording functions, by the calls as recorded; 0 = not known
				   */
	double off_ns;		  /* others had the processor: likewise in no node */
	double *thread_measuring_ns; /* of measuring_ns, per thread number; NULL = none */
	double own_work_ns;	     /* Kymo's own work between records, in the times or not */
	/* If made from samples, also earlier in a merge: their effective number; else 0. */
	double effective_count;
	uint32_t idle_thread_count; /* of samples: those folded into one region, see sampled_tree.h
				     */
	bool *thread_is_idle; /* of samples, per thread number: it never left its wait; or NULL */
	struct calltree_positions *positions; /* per thread number; NULL = visits were timed */
	/* Of counted functions, and of regions if positions were sampled; none = all times are
	 * measured. */
	struct calltree_estimated *estimated;
	size_t estimated_count;
	uint32_t estimated_functions;
	bool has_estimated_counts; /* of some nodes */
	bool has_stored_estimates; /* read from a merged recording: errors of the tree's own values
				    */
};

#endif
