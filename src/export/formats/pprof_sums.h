/* Sums of all samples of a run, by thread and stack: the values of a pprof profile. Borrows the
 * selection and the samples, which must outlive it. */
#ifndef KYMO_PPROF_SUMS_H
#define KYMO_PPROF_SUMS_H

#include "export/export_samples.h"
#include "export/export_selection.h"

enum pprof_column {
	COLUMN_CALLS,
	COLUMN_SAMPLES,
	COLUMN_WALL,
	COLUMN_CPU,
	COLUMN_EVENTS,
	PPROF_COLUMNS,
};

struct pprof_stack_sum {
	double values[PPROF_COLUMNS];
};

struct pprof_sums {
	const struct export_selection *selection;
	const struct run_samples *samples;
	/* By recording, thread and stack, NULL = none; after those of all stacks, again by stack,
	 * those that wait for the GIL. */
	struct pprof_stack_sum ***stacks;
	bool has[PPROF_COLUMNS]; /* those of calls if any recording shows calls */
	double totals[PPROF_COLUMNS];
};

/* Uses memory of the work (command/xalloc). */
void pprof_sums_init(struct pprof_sums *sums, const struct export_selection *selection,
		     const struct run_samples *samples);

#endif
