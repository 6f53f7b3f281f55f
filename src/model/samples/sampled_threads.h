/* What each thread did while it was sampled, and the confidence interval of a share. */
#ifndef KYMO_SAMPLED_THREADS_H
#define KYMO_SAMPLED_THREADS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"
#include "model/samples/sampled_kinds.h"
#include "model/samples/sampled_stacks.h"
#include "model/samples/sampled_tree.h"

struct calltree;
struct recording;
struct sampled_stack;
struct samples;

bool sampled_thread_has_samples(const struct samples *samples, uint32_t thread);
/* It never left its wait: an idle thread of a pool, one that serves a library, one that waits for
 * those that work.  stacks: of the thread. */
bool sampled_thread_is_idle(const struct samples *samples, uint32_t thread,
			    const struct sampled_stack *stacks);
/* The effective number of samples of several trees; 0 = none is of samples. */
double sampled_effective_count(const struct calltree *const *trees, size_t tree_count);

struct sampled_thread {
	uint32_t thread;
	uint64_t count;
	double wall_ns, cpu_ns;
	double class_ns[SAMPLED_CLASSES]; /* sum = wall_ns, or cpu_ns without wall time */
	double gil_held_ns, gil_wait_ns;  /* observed by the sampler */
};

struct sampled_threads {
	struct sampled_thread *threads;
	size_t count;
};
enum kymo_status sampled_threads_new(struct recording *recording, const struct samples *samples,
				     struct sampled_threads **out);
void sampled_threads_free(struct sampled_threads *threads);

#endif
