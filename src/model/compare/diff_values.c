/* The values of a side, run by run: of a single run from its flat profile, of the runs in a merged
 * one from its parts. */
#include "model/compare/diff_values.h"

#include <math.h>
#include <stdlib.h>

#include "model/parts/parts.h"
#include "model/parts/parts_group.h"
#include "model/profile/flat_view.h"
#include "model/samples/sampled_threads.h"
#include "model/tree/flat.h"

struct filler {
	struct diff *diff;
	enum diff_side side;
	struct diff_runs *runs;
	struct diff_value *values; /* of the current run, by number in the diff */
};

static bool collect_trees(struct diff_runs *side)
{
	for (size_t i = 0; i < side->loaded_count; i++)
		side->tree_count += side->runs[i]->tree_count;
	side->trees = calloc(side->tree_count + 1, sizeof(*side->trees));
	side->facts = calloc(side->loaded_count + 1, sizeof(*side->facts));
	if (!side->trees || !side->facts)
		return false;
	side->tree_count = 0;
	for (size_t i = 0; i < side->loaded_count; i++) {
		side->is_sampled |= side->runs[i]->is_sampled;
		for (size_t k = 0; k < side->runs[i]->tree_count; k++)
			side->trees[side->tree_count++] = side->runs[i]->trees[k];
	}
	return true;
}

enum kymo_status diff_runs_init(struct diff_runs *side, const struct loaded_run *const *runs,
				size_t count, struct problem *problem)
{
	static const struct rows_options merged = {
		.merges_threads = true,
		.merges_processes = true,
		.thread = KYMO_NO_THREAD,
	};
	bool is_complete, is_known = true;

	*side = (struct diff_runs){.runs = runs, .loaded_count = count};
	is_complete = collect_trees(side);
	for (size_t i = 0; is_complete && i < count; i++) {
		is_complete = run_facts_new(runs[i], &side->facts[i]) == KYMO_OK;
		if (!is_complete)
			break;
		side->cost_percent += side->facts[i]->cost_percent / (double)count;
		is_known &= run_facts_know_cost(side->facts[i]);
	}
	if (!is_known)
		side->cost_percent = -1;
	is_complete = is_complete &&
		      rows_new(side->trees, side->tree_count, &merged, &side->rows) == KYMO_OK;
	if (!is_complete)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	side->effective_count = sampled_effective_count(side->trees, side->tree_count);
	return KYMO_OK;
}

double diff_runs_whole_ns(const struct diff_runs *side)
{
	double sum_ns = 0;

	for (size_t i = 0; i < side->loaded_count; i++)
		sum_ns += side->facts[i]->base.whole_ns;
	return side->run_count > 0 ? sum_ns / (double)side->run_count : 0;
}

double diff_runs_outside_ns(const struct diff_runs *side)
{
	double sum_ns = 0;

	for (size_t i = 0; i < side->loaded_count; i++)
		sum_ns += side->facts[i]->base.outside_ns;
	return side->run_count > 0 ? sum_ns / (double)side->run_count : 0;
}

void diff_runs_release(struct diff_runs *side)
{
	for (size_t i = 0; side->facts && i < side->loaded_count; i++)
		run_facts_free(side->facts[i]);
	free(side->facts);
	free(side->numbers);
	rows_free(side->rows);
	free(side->trees);
}

/* The run's values are complete: add them to the moments, and reset them for the next run. */
static void values_add_run(struct filler *filler, double duration_ns)
{
	enum diff_side side = filler->side;
	uint32_t region_count = filler->diff->region_count;
	double self_ns = 0, count = 0;

	for (uint32_t i = 0; i < region_count + filler->diff->rest_count; i++) {
		struct diff_region *region = &filler->diff->regions[i];
		struct diff_value *value = &filler->values[i];

		moments_add(&region->self[side], value->self_ns);
		moments_add(&region->total[side], value->total_ns);
		moments_add(&region->count[side], value->count);
		moments_add(&region->mean[side],
			    value->count > 0 ? value->total_ns / value->count : 0);
		self_ns += i < region_count ? value->self_ns : 0;
		count += i < region_count ? value->count : 0;
		*value = (struct diff_value){0};
	}
	moments_add(&filler->runs->self, self_ns);
	moments_add(&filler->runs->count, count);
	moments_add(&filler->runs->duration, duration_ns);
	filler->runs->run_count++;
}

static bool add_loaded(struct filler *filler, size_t index, const struct region_union *regions)
{
	const struct loaded_run *loaded = filler->runs->runs[index];
	const uint32_t *number = filler->runs->numbers;
	struct flat_view *view;

	if (flat_view_new(loaded->trees, loaded->tree_count, regions, KYMO_NO_THREAD, &view) !=
	    KYMO_OK)
		return false;
	for (size_t i = 0; i < view->count; i++) {
		const struct flat_entry *entry = &view->entries[i];
		uint32_t region = number[entry->region];

		if (region != DIFF_NONE)
			filler->values[region] = (struct diff_value){
				.count = (double)(loaded->is_sampled ? entry->primitive_calls
								     : entry->calls),
				.self_ns = entry->self_ns,
				.total_ns = entry->total_ns,
			};
	}
	flat_view_free(view);
	values_add_run(filler, filler->runs->facts[index]->duration_s * 1e9);
	return true;
}

/* Errors of the sums of its regions; of a merged run those of all its runs. */
static bool add_errors(struct filler *filler, size_t index, const struct region_union *regions)
{
	const struct loaded_run *loaded = filler->runs->runs[index];
	struct flat_view *view;
	size_t estimated = 0;

	for (size_t i = 0; i < loaded->tree_count; i++)
		estimated += loaded->trees[i]->estimated_count;
	if (!estimated)
		return true;
	if (flat_view_new(loaded->trees, loaded->tree_count, regions, KYMO_NO_THREAD, &view) !=
	    KYMO_OK)
		return false;
	for (size_t i = 0; i < view->count; i++) {
		const struct flat_entry *entry = &view->entries[i];
		uint32_t region = filler->runs->numbers[entry->region];

		if (region == DIFF_NONE || !entry->estimate.is_known)
			continue;
		calltree_estimate_add(&filler->diff->regions[region].estimate[filler->side],
				      &entry->estimate);
		filler->diff->has_estimates = true;
	}
	flat_view_free(view);
	return true;
}

/* Of the run that begins with part *begin; the parts of a run are adjacent. */
static double next_duration_ns(const struct parts *parts, size_t *begin)
{
	size_t group = parts_group(parts, PARTS_BY_RUN, *begin), end = *begin;
	uint64_t start = UINT64_MAX;
	double duration = 0;

	for (; end < parts->count && parts_group(parts, PARTS_BY_RUN, end) == group; end++) {
		if (parts->parts[end].start_realtime_ns < start)
			start = parts->parts[end].start_realtime_ns;
	}
	for (; *begin < end; ++*begin) {
		const struct recording_part *part = &parts->parts[*begin];

		duration = fmax(duration, (double)(part->start_realtime_ns - start) +
						  (double)part->duration_ns);
	}
	return duration;
}

static void values_add_share(struct filler *filler, uint32_t region, const struct part_share *share)
{
	uint32_t number = filler->runs->numbers[region];

	if (number == DIFF_NONE)
		return;
	filler->values[number].count += (double)share->count;
	filler->values[number].self_ns += share->self_ns;
	filler->values[number].total_ns += share->total_ns;
}

/* Shares of a region are in the order of the parts, and parts in that of the runs: next is, for
 * each region, the first share not assigned to a run yet. */
static void add_groups(struct filler *filler, const struct parts *parts, uint32_t region_count,
		       size_t *next)
{
	size_t begin = 0;

	for (uint32_t i = 0; i < region_count; i++)
		next[i] = parts->first[i];
	for (size_t group = 0; group < parts_group_count(parts, PARTS_BY_RUN); group++) {
		for (uint32_t i = 0; i < region_count; i++) {
			for (; next[i] < parts->first[i + 1]; next[i]++) {
				const struct part_share *share = &parts->shares[next[i]];

				if (parts_group(parts, PARTS_BY_RUN, share->part) != group)
					break;
				values_add_share(filler, i, share);
			}
		}
		values_add_run(filler, next_duration_ns(parts, &begin));
	}
}

static bool values_add_merged(struct filler *filler, size_t index,
			      const struct region_union *regions)
{
	struct parts *parts = NULL;
	size_t *next = calloc(regions->count + (size_t)1, sizeof(*next));
	enum kymo_status status = KYMO_MEMORY;

	if (next)
		status = parts_new(filler->runs->runs[index], regions, &parts, NULL);
	if (status == KYMO_OK && parts->run_count > 1)
		add_groups(filler, parts, regions->count, next);
	else if (status == KYMO_OK && !add_loaded(filler, index, regions))
		status = KYMO_MEMORY;
	parts_free(parts);
	free(next);
	return status == KYMO_OK;
}

static bool values_is_merged(const struct loaded_run *loaded)
{
	for (size_t i = 0; i < loaded->tree_count; i++) {
		if (loaded->trees[i]->recording->header.flags & KYMO_HEADER_MERGED)
			return true;
	}
	return false;
}

static bool add_all(struct filler *filler)
{
	const struct region_union *all = filler->runs->rows->regions;
	/* A subset of it: the numbers of one run's trees. */
	struct region_union regions = *all;

	for (size_t i = 0; i < filler->runs->loaded_count; i++) {
		const struct loaded_run *loaded = filler->runs->runs[i];

		regions.tree_count = loaded->tree_count;
		if (!(values_is_merged(loaded) ? values_add_merged : add_loaded)(filler, i,
										 &regions) ||
		    !add_errors(filler, i, &regions))
			return false;
		regions.numbers += loaded->tree_count;
		regions.region_counts += loaded->tree_count;
	}
	return true;
}

enum kymo_status diff_values_fill(struct diff *diff, enum diff_side side)
{
	struct filler filler = {
		.diff = diff,
		.side = side,
		.runs = &diff->side[side],
		.values = calloc((size_t)diff->region_count + diff->rest_count + 1,
				 sizeof(*filler.values)),
	};
	bool is_complete = filler.values && add_all(&filler);

	free(filler.values);
	if (!is_complete)
		return KYMO_MEMORY;
	for (uint32_t i = 0; i < diff->region_count + diff->rest_count; i++) {
		struct diff_region *region = &diff->regions[i];

		region->value[side] = (struct diff_value){
			.count = region->count[side].mean,
			.self_ns = region->self[side].mean,
			.total_ns = region->total[side].mean,
		};
		calltree_estimate_divide(&region->estimate[side],
					 (double)diff->side[side].run_count);
	}
	return KYMO_OK;
}
