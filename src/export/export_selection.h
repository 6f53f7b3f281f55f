/* The part of a run to export: the processes, threads and regions selected by the options. The
 * selection borrows the run and the options' pattern only while it is made; it is read-only
 * afterwards.  One thread at a time. */
#ifndef KYMO_EXPORT_SELECTION_H
#define KYMO_EXPORT_SELECTION_H

#include <stddef.h>

#include "base/status.h"
#include "export/export_options.h"

struct run_samples;

struct export_selection {
	const struct run *run;
	uint32_t process; /* pid, 0 = all */
	uint32_t thread;  /* number, KYMO_NO_THREAD = all */
	bool **regions;	  /* per recording: one per region; NULL = all regions of all */
	const struct run_samples *instead; /* written instead of calls; NULL = none */
};

/* Fails if the options select what the run does not have, or the pattern is invalid. */
enum kymo_status selection_init(struct export_selection *selection, const struct run *run,
				const struct export_options *options, struct problem *problem);
void selection_release(struct export_selection *selection);

/* Fails, with a line that says how to record one, if nothing selected has a trace or opened
 * samples. */
enum kymo_status selection_require_trace(const struct export_selection *selection,
					 const struct run_samples *samples,
					 struct problem *problem);

bool selection_has_recording(const struct export_selection *selection, size_t index);
/* Whether the recording has events. */
bool selection_has_trace(const struct export_selection *selection, size_t index);
bool selection_has_thread(const struct export_selection *selection, size_t index, uint32_t thread);

/* The note about counted functions for the file; NULL = nothing selected has estimates. */
const char *selection_estimate_text(const struct export_selection *selection);

/* Per region of recording index whether it is selected; NULL = all are. */
static inline const bool *selection_regions(const struct export_selection *selection, size_t index)
{
	return selection->regions ? selection->regions[index] : NULL;
}

#endif
