/* Adds up samples.  CPU time that a waiting thread used before is carried on, as in the tables of
 * samples, so that all of them agree. */
#include "export/formats/pprof_sums.h"

#include <math.h>

#include "command/xalloc.h"

#include "model/samples/sampled_class.h"
#include "model/samples/sampled_stacks.h"

static void sums_add_value(struct pprof_sums *sums, struct pprof_stack_sum *sum,
			   enum pprof_column column, double value)
{
	if (isnan(value))
		return;
	sum->values[column] += value;
	sums->totals[column] += value;
	sums->has[column] = true;
}

/* Whether samples count: those of the weighting clock. */
static bool counts(const struct sampled_scale *scale, const double weights[SAMPLED_WEIGHTS])
{
	if (scale->wall_kind != KYMO_SAMPLE_KINDS)
		return !isnan(weights[SAMPLED_WALL]);
	if (scale->cpu_kind != KYMO_SAMPLE_KINDS)
		return !isnan(weights[SAMPLED_CPU]);
	return true;
}

static void sum_thread(struct pprof_sums *sums, const struct recording_samples *samples,
		       uint32_t thread, struct pprof_stack_sum *stacks)
{
	uint32_t count = samples_stack_count(samples->samples, thread);
	struct sample_position position = {0};
	struct pprof_stack_sum *last = NULL;
	double weights[SAMPLED_WEIGHTS], carried_ns = 0;
	struct sample sample;

	while (samples_next(samples->samples, thread, &position, &sample)) {
		const struct sampled_stack *stack = &samples->stacks[thread][sample.stack];
		struct sample_location place = samples_location(samples, &sample);
		struct pprof_stack_sum *sum =
			&stacks[(size_t)place.stack + (place.waits_for_gil ? count : 0)];

		sampled_weigh(&samples->scale, &sample, sampled_classify(&stack->leaf, &sample),
			      &carried_ns, weights);
		sums_add_value(sums, sum, COLUMN_WALL, weights[SAMPLED_WALL]);
		sums_add_value(sums, sum, COLUMN_CPU, weights[SAMPLED_CPU]);
		sums_add_value(sums, sum, COLUMN_EVENTS, weights[SAMPLED_EVENTS]);
		if (counts(&samples->scale, weights))
			sums_add_value(sums, sum, COLUMN_SAMPLES, 1);
		if (!isnan(weights[SAMPLED_CPU]))
			last = sum;
	}
	if (last)
		sums_add_value(sums, last, COLUMN_CPU, carried_ns);
}

static void sum_recording(struct pprof_sums *sums, size_t index)
{
	const struct recording_samples *samples = &sums->samples->items[index];
	uint32_t count = samples->recording->thread_count;

	sums->stacks[index] = xcalloc((size_t)count + 1, sizeof(struct pprof_stack_sum *));
	for (uint32_t i = 0; i < count; i++) {
		if (!samples_has_thread(samples, i) ||
		    !selection_has_thread(sums->selection, index, i))
			continue;
		sums->stacks[index][i] =
			xcalloc(2 * (size_t)samples_stack_count(samples->samples, i),
				sizeof(struct pprof_stack_sum));
		sum_thread(sums, samples, i, sums->stacks[index][i]);
	}
}

void pprof_sums_init(struct pprof_sums *sums, const struct export_selection *selection,
		     const struct run_samples *samples)
{
	*sums = (struct pprof_sums){.selection = selection, .samples = samples};
	sums->stacks = xcalloc(samples->count + 1, sizeof(struct pprof_stack_sum **));
	for (size_t i = 0; i < samples->count; i++) {
		if (!selection_has_recording(selection, i))
			continue;
		if (samples->items[i].samples)
			sum_recording(sums, i);
		else
			sums->has[COLUMN_CALLS] = sums->has[COLUMN_WALL] = true;
	}
}
