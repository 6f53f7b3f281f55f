/* Who held Python's GIL and who waited for it, estimated from samples of wall time.
 *
 * A sample stands for the time since the one before in its thread; time during which one thread
 * held the GIL while another waited is attributed to the line that held it.  These are estimates: a
 * hold or a wait that is shorter than the time between two samples may be missed, and is counted by
 * its share otherwise. */
#ifndef KYMO_SAMPLED_GIL_H
#define KYMO_SAMPLED_GIL_H

#include "model/samples/sampled_tree.h"

#include "model/samples/sampled_kinds.h"

struct sampled_gil_thread {
	uint32_t thread;
	uint64_t count; /* samples */
	double wall_ns;
	double held_ns, wait_ns;
	double blocking_ns;  /* of held_ns: another thread waited */
	uint64_t hold_count; /* observed holds and waits: series of consecutive samples */
	uint64_t wait_count;
	struct sampled_share held, wait; /* of wall_ns */
};

struct sampled_gil_line {	     /* the innermost Python line of a thread that held it */
	const char *file, *function; /* file: NULL = unknown */
	uint32_t line;
	uint64_t count; /* samples */
	double held_ns;
	double blocking_ns; /* of held_ns: another thread waited */
	double waited_ns;   /* time that all threads waited because of it */
};

struct sampled_gil {
	struct sampled_gil_thread *threads; /* those that held it or waited, by number */
	size_t thread_count;
	struct sampled_gil_line *lines; /* by blocking_ns, then held_ns, largest first */
	size_t line_count;
	double held_ns, wait_ns; /* of all threads */
	double contended_ns;	 /* time during which at least one thread waited */
};

enum kymo_status sampled_gil_new(struct recording *recording, const struct samples *samples,
				 const struct sampled_options *options, struct sampled_gil **out);
void sampled_gil_free(struct sampled_gil *gil);

#endif
