/* Of each sampled process, from the index of samples it was loaded with. */
#include "view/page_samples.h"

#include "command/xalloc.h"

struct recording_samples *page_samples_open(const struct loaded_run *loaded,
					    const struct sampled_options *options)
{
	struct recording_samples *all = xcalloc(loaded->tree_count + 1, sizeof(*all));

	for (size_t i = 0; i < loaded->tree_count; i++) {
		/* Trees only read their recording; the run owns it. */
		struct recording *recording = (struct recording *)loaded->trees[i]->recording;

		all[i].recording = recording;
		if (loaded_samples(loaded, i))
			xneed(recording_samples_open(&all[i], recording, loaded_samples(loaded, i),
						     options, NULL) == KYMO_OK);
	}
	return all;
}

void page_samples_close(struct recording_samples *samples, const struct loaded_run *loaded)
{
	for (size_t i = 0; samples && i < loaded->tree_count; i++)
		recording_samples_close(&samples[i]);
	xfree(samples);
}
