/* The input of an exporter: the selected part of a run, with its samples. */
#ifndef KYMO_EXPORT_SOURCE_H
#define KYMO_EXPORT_SOURCE_H

#include "export/export_samples.h"
#include "export/export_selection.h"

struct export_source {
	struct export_selection selection;
	struct run_samples samples;
};

/* only_alone: as for run_samples_open().  Close it only after KYMO_OK. */
enum kymo_status export_source_open(struct export_source *source, const struct run *run,
				    const struct export_options *options, bool only_alone,
				    struct problem *problem);
void export_source_close(struct export_source *source);

#endif
