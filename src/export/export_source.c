/* Samples first: opening them adds regions, from which the selection then chooses. */
#include "export/export_source.h"

enum kymo_status export_source_open(struct export_source *source, const struct run *run,
				    const struct export_options *options, bool only_alone,
				    struct problem *problem)
{
	enum kymo_status status =
		run_samples_open(&source->samples, run, options, only_alone, problem);

	if (status < 0)
		return status;
	status = selection_init(&source->selection, run, options, problem);
	if (status < 0) {
		run_samples_close(&source->samples);
		return status;
	}
	source->selection.instead = only_alone ? &source->samples : NULL;
	return KYMO_OK;
}

void export_source_close(struct export_source *source)
{
	selection_release(&source->selection);
	run_samples_close(&source->samples);
}
