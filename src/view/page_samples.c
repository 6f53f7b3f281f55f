/* Of each process that was sampled, from the index of samples it was loaded with. */
#include "view/page_samples.h"

#include <stdlib.h>

struct recording_samples *page_samples_open(const struct loaded_run *loaded,
					    const struct sampled_options *options,
					    struct problem *problem)
{
	struct recording_samples *all = calloc(loaded->tree_count + 1, sizeof(*all));
	enum kymo_status status = KYMO_OK;

	if (!all)
		problem_set(problem, KYMO_MEMORY, "out of memory");
	for (size_t i = 0; all && status == KYMO_OK && i < loaded->tree_count; i++) {
		/* Trees only read their recording; the run owns it. */
		struct recording *recording = (struct recording *)loaded->trees[i]->recording;

		all[i].recording = recording;
		if (loaded_samples(loaded, i))
			status = recording_samples_open(
				&all[i], recording, loaded_samples(loaded, i), options, problem);
	}
	if (status == KYMO_OK)
		return all;
	page_samples_close(all, loaded);
	return NULL;
}

void page_samples_close(struct recording_samples *samples, const struct loaded_run *loaded)
{
	for (size_t i = 0; samples && i < loaded->tree_count; i++)
		recording_samples_close(&samples[i]);
	free(samples);
}
