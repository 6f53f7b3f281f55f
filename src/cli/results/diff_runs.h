/* The runs of a comparison, opened: all by their calls, or all by their samples if all have
 * them. */
#ifndef KYMO_DIFF_RUNS_H
#define KYMO_DIFF_RUNS_H

#include "cli/options/options.h"
#include "model/compare/diff.h"

struct diff_loaded { /* indexed by enum diff_side */
	struct loaded_run *runs[DIFF_SIDES][OPTION_WORDS_MAX];
	size_t count[DIFF_SIDES];
	bool wants_samples;
	struct sampled_options sampled;
};

/* Each a run, or several separated by commas. */
enum kymo_status diff_loaded_pair(struct diff_loaded *loaded, const char *before, const char *after,
				  struct problem *problem);
enum kymo_status diff_loaded_lists(struct diff_loaded *loaded, const struct option_words *before,
				   const struct option_words *after, struct problem *problem);
/* Also after a failure. */
void diff_loaded_release(struct diff_loaded *loaded);

#endif
