/* How far off the times of call paths may be where positions of threads were sampled
 * (KYMO_HEADER_POSITIONS): Wilson's interval for a path's share of the time of all threads, by the
 * effective number of their samples.  Threads that ended before they were sampled may have spent
 * their time on any path.  Pure arithmetic; any thread. */
#ifndef KYMO_PATH_ERRORS_H
#define KYMO_PATH_ERRORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct calltree;

struct path_errors {
	bool is_known; /* else times are measured, or their errors are known of regions alone */
	double whole_ns, unseen_ns;
	double effective_count;
};

/* thread: only that one of each process; KYMO_NO_THREAD = all. */
struct path_errors path_errors_of(const struct calltree *const *trees, size_t tree_count,
				  uint32_t thread);

/* A path of ns has no less than that in 95 of 100 runs, and no more. */
double path_errors_low(const struct path_errors *errors, double ns);
double path_errors_high(const struct path_errors *errors, double ns);
/* The larger distance of the two from ns. */
double path_errors_off(const struct path_errors *errors, double ns);

#endif
