/* Recorded metrics of the runs of a diff, from the flat rows of each. */
#include "model/compare/diff_metric.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "format/metric.h"

struct filler {
	const struct diff *diff;
	const struct diff_runs *side;
	const struct metric_info *info;
	struct moments *regions, *run;
	double *values;	   /* of the current run */
	size_t first_tree; /* of the run among those of the side */
};

/* The region's number in the diff.  Rows of one run have numbers of their own: the trees connect
 * both. */
static void number_rows(const struct filler *filler, const struct rows *rows, uint32_t *numbers)
{
	const struct region_union *all = filler->side->rows->regions, *own = rows->regions;

	for (size_t i = 0; i < rows->tree_count; i++) {
		size_t tree = filler->first_tree + i;

		for (uint32_t k = 0; k < own->region_counts[i] && k < all->region_counts[tree]; k++)
			numbers[region_union_number(own, i, k)] =
				filler->side->numbers[region_union_number(all, tree, k)];
	}
}

static void metric_add_row(const struct filler *filler, const struct row_metric *metric,
			   uint32_t number, double *run)
{
	if (filler->info->is_accumulated) {
		filler->values[number] += metric->sum;
		*run += metric->self;
	} else if (metric->count > 0) {
		filler->values[number] = fmax(filler->values[number], metric->max);
		*run = fmax(*run, metric->max);
	}
}

static bool metric_add_rows(struct filler *filler, const struct rows *rows, unsigned int block,
			    double runs)
{
	size_t size = (rows->regions->count + (size_t)1) * sizeof(uint32_t);
	double run = 0, divisor = filler->info->is_accumulated ? runs : 1;
	uint32_t *numbers = malloc(size);

	if (!numbers)
		return false;
	memset(numbers, 0xff, size);
	number_rows(filler, rows, numbers);
	for (size_t i = 0; i < rows->count; i++) {
		uint32_t number = numbers[rows->rows[i].region];

		if (number != DIFF_NONE)
			metric_add_row(filler, &rows->metrics[i * rows->metric_count + block],
				       number, &run);
	}
	for (uint32_t i = 0; i < filler->diff->region_count; i++) {
		moments_add(&filler->regions[i], filler->values[i] / divisor);
		filler->values[i] = 0;
	}
	moments_add(filler->run, run / divisor);
	free(numbers);
	return true;
}

static enum kymo_status metric_add_run(struct filler *filler, size_t index, struct problem *problem)
{
	static const struct rows_options flat = {
		.is_flat = true,
		.merges_threads = true,
		.merges_processes = true,
		.thread = KYMO_NO_THREAD,
	};
	const struct loaded_run *loaded = filler->side->runs[index];
	struct rows *rows;
	unsigned int block = 0;
	bool is_held;

	if (rows_new(loaded->trees, loaded->tree_count, &flat, &rows) != KYMO_OK)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	while (block < rows->metric_count && rows->metric_ids[block] != filler->info->metric)
		block++;
	is_held = block < rows->metric_count;
	if (is_held && !metric_add_rows(filler, rows, block,
					(double)filler->side->run_count /
						(double)filler->side->loaded_count)) {
		rows_free(rows);
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	rows_free(rows);
	if (is_held)
		return KYMO_OK;
	return problem_set(problem, KYMO_USAGE,
			   "'%s' has no metric '%s'; 'kymo avail --components' lists what can be "
			   "recorded",
			   loaded->run->path, filler->info->name);
}

static enum kymo_status fill_side(struct filler *filler, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;

	for (size_t i = 0; status == KYMO_OK && i < filler->side->loaded_count; i++) {
		status = metric_add_run(filler, i, problem);
		filler->first_tree += filler->side->runs[i]->tree_count;
	}
	return status;
}

enum kymo_status diff_metric_new(const struct diff *diff, uint32_t metric, struct diff_metric **out,
				 struct problem *problem)
{
	struct diff_metric *made = calloc(1, sizeof(*made));
	double *values = calloc(diff->region_count + (size_t)1, sizeof(*values));
	enum kymo_status status =
		made && values ? KYMO_OK : problem_set(problem, KYMO_MEMORY, "out of memory");

	for (int side = 0; status == KYMO_OK && side < DIFF_SIDES; side++) {
		struct filler filler = {
			.diff = diff,
			.side = &diff->side[side],
			.info = metric_info((enum kymo_metric)metric),
			.regions = calloc(diff->region_count + (size_t)1, sizeof(struct moments)),
			.run = &made->run[side],
			.values = values,
		};

		made->regions[side] = filler.regions;
		status = filler.regions ? fill_side(&filler, problem)
					: problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	free(values);
	if (status == KYMO_OK)
		*out = made;
	else
		diff_metric_free(made);
	return status;
}

void diff_metric_free(struct diff_metric *metric)
{
	if (!metric)
		return;
	free(metric->regions[DIFF_BEFORE]);
	free(metric->regions[DIFF_AFTER]);
	free(metric);
}
