/* Weights of samples, display options, and what a thread did in a sample.  No state; any thread. */
#ifndef KYMO_SAMPLED_KINDS_H
#define KYMO_SAMPLED_KINDS_H

#include <math.h>
#include <stdbool.h>

/* The weight of a stack. */
enum sampled_by {
	SAMPLED_BY_WALL,  /* REALTIME samples; without them CPUTIME ones by their CPU time */
	SAMPLED_BY_CPU,	  /* CPU time of CPUTIME samples, else of REALTIME ones */
	SAMPLED_BY_EVENT, /* OVERFLOW: events, instead of nanoseconds */
	/* Default: CPU time if there is any, else as SAMPLED_BY_WALL.  sampled_base_choose() must
	 * replace it before a tree is made. */
	SAMPLED_BY_CHOICE,
};
#define SAMPLED_BY_WORDS "wall,cpu,events" /* in the order of the enum */

struct sampled_options {
	enum sampled_by weight;
	bool keeps_internal; /* keep frames of the interpreter itself and of Kymo */
	bool has_lines;	     /* one region per line of a function */
	bool has_inlines;
	bool has_files; /* resolve file and first line of native functions, which takes longer */
	bool uses_debuginfod;
};

/* What a thread does in a sample, by its innermost frames. */
enum sampled_class {
	SAMPLED_PYTHON, /* the interpreter executes Python code: its operators, attributes, loops */
	SAMPLED_NATIVE, /* other code outside of the kernel, built-in functions too */
	SAMPLED_KERNEL, /* a system call, not waiting */
	SAMPLED_LOCK,	/* waits for a lock, condition, semaphore, thread */
	SAMPLED_GIL,	/* waits for Python's GIL */
	SAMPLED_IO,	/* waits for files and pipes */
	SAMPLED_NETWORK,  /* waits for sockets */
	SAMPLED_SLEEP,	  /* waits for a time */
	SAMPLED_CHILD,	  /* waits for a process */
	SAMPLED_OTHER,	  /* waits for something else */
	SAMPLED_RUNNABLE, /* would run but has no processor */
	SAMPLED_CLASSES,
};

struct sampled_share { /* an estimate with its interval, as parts of 1 */
	double share, low, high;
};

/* The interval at 95 % for a share of weights, of which the count is the effective one:
 * (sum of weights)^2 / sum of squares. */
static inline struct sampled_share sampled_interval(double share, double effective_count)
{
	static const double z = 1.96;
	struct sampled_share out = {share, 0, 1};
	double n = effective_count, middle, half;

	if (!(n > 0))
		return out;
	out.share = share < 0 ? 0 : share > 1 ? 1 : share;
	middle = (out.share + z * z / (2 * n)) / (1 + z * z / n);
	half = z / (1 + z * z / n) * sqrt(out.share * (1 - out.share) / n + z * z / (4 * n * n));
	/* Exact at the ends, where rounding would put the share outside. */
	out.low = out.share > 0 && middle > half ? fmin(middle - half, out.share) : 0;
	out.high = out.share < 1 && middle + half < 1 ? fmax(middle + half, out.share) : 1;
	return out;
}

#endif
