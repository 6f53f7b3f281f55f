/* A run ready to be reported: its recordings with their call trees.
 *
 * Processes whose tree cannot be built are left out and reported in problems.  Owns everything it
 * points to. */
#ifndef KYMO_LOADED_RUN_H
#define KYMO_LOADED_RUN_H

#include "config/settings.h"
#include "model/recording/run.h"
#include "model/samples/sampled_tree.h"

struct loaded_options {
	uint32_t pid;	    /* only that process, 0 = all */
	bool wants_samples; /* trees of the samples, also where calls were recorded */
	bool is_raw;	    /* times include measuring */
	bool has_each_call; /* one node per call, if each was recorded */
	struct sampled_options sampled;
};

struct loaded_run {
	struct run *run;
	const struct calltree **trees;	/* the root process first */
	const struct samples **samples; /* of the trees' processes; NULL = not sampled */
	size_t tree_count;
	/* The trees are made of samples: no calls were recorded, or samples were requested. */
	bool is_sampled;
	bool has_samples; /* of any process */
	/* What times of samples are: never SAMPLED_BY_CHOICE, see is_weight_chosen. */
	enum sampled_by weight;
	bool is_weight_chosen;
	char **problems; /* besides those of the run and its recordings */
	size_t problem_count;
};

/* Of the process of a tree; NULL = it was not sampled. */
static inline const struct samples *loaded_samples(const struct loaded_run *loaded, size_t tree)
{
	return loaded->samples ? loaded->samples[tree] : NULL;
}

/* As the settings of the run specify. */
struct sampled_options sampled_options_from(const struct settings *settings);

/* options: NULL = all processes, and calls if there are any. */
enum kymo_status loaded_run_open(const char *path, const struct loaded_options *options,
				 struct loaded_run **out, struct problem *problem);
/* Several runs as one. */
enum kymo_status loaded_run_open_all(const char *const *paths, size_t count,
				     const struct loaded_options *options, struct loaded_run **out,
				     struct problem *problem);
void loaded_run_free(struct loaded_run *loaded);

/* Rebuild the trees of samples that were weighted by wall time with the weight in sampled; what
 * borrows the trees must be rebuilt, too.  Processes that fail are left out as in opening. */
void loaded_run_weigh(struct loaded_run *loaded, const struct sampled_options *sampled);

#endif
