/* Findings about differences between ranks, processes, threads and repeated runs. */
#include "model/findings/findings_balance.h"

#include <stdlib.h>

#include "model/findings/findings_builder.h"
#include "model/parts/parts_group.h"
#include "model/parts/parts_name.h"
#include "model/parts/parts_spread.h"
#include "model/recording/recording_rank.h"

#define BALANCE_COST   0.05 /* of all time: what an even distribution could save */
#define BALANCE_UNEVEN 0.25 /* the slowest takes a quarter longer than the mean */
#define REGION_LEAST   0.01 /* of all time: smaller regions cannot cost more */
#define REPEATS_SPREAD 0.10 /* deviation / mean: smaller differences are not significant */

struct candidate {
	uint32_t region;
	size_t idle; /* ranks that do nothing of it */
	double cost_ns;
	struct parts_spread spread; /* without its values */
};

static double balance_total_of(const struct parts *parts, uint32_t region, bool is_total)
{
	double sum_ns = 0;

	for (size_t i = parts->first[region]; i < parts->first[region + 1]; i++)
		sum_ns += is_total ? parts->shares[i].total_ns : parts->shares[i].self_ns;
	return sum_ns;
}

static bool balance_is_candidate(const struct findings_builder *builder, uint32_t region,
				 bool is_total)
{
	return finding_is_work(builder->regions->regions[region]) &&
	       balance_total_of(builder->parts, region, is_total) >=
		       REGION_LEAST * builder->whole_ns;
}

static bool balance_measure(struct findings_builder *builder, uint32_t region, enum parts_by by,
			    enum parts_time time, struct parts_spread *spread)
{
	enum kymo_status status = parts_spread_new(builder->parts, region, by, time, spread);

	/* The process that started the ranks has another task. */
	if (status == KYMO_OK && by == PARTS_BY_RANK)
		status = parts_spread_ranked(builder->parts, spread);
	if (status == KYMO_OK)
		return true;
	parts_spread_release(spread);
	builder->has_failed = true;
	return false;
}

static bool measure_idle(struct findings_builder *builder, uint32_t region,
			 struct candidate *candidate)
{
	struct parts_spread *spread = &candidate->spread;

	*candidate = (struct candidate){.region = region};
	if (!balance_measure(builder, region, PARTS_BY_RANK, PARTS_TOTAL, spread))
		return false;
	for (size_t i = 0; i < spread->count; i++)
		candidate->idle += spread->values[i] <= 0;
	candidate->cost_ns = spread->max * (double)spread->count - spread->sum;
	parts_spread_release(spread);
	return candidate->idle > 0 && candidate->cost_ns >= BALANCE_COST * builder->whole_ns;
}

/* The one that costs most: its callees are idle there, too, and cost less.  Returns its region, or
 * FINDING_NO_REGION. */
static uint32_t find_idle_ranks(struct findings_builder *builder)
{
	struct candidate best = {0}, candidate;
	char name[FINDING_NAME_MAX];

	if (builder->parts->rank_count < 2)
		return FINDING_NO_REGION;
	for (uint32_t i = 0; i < builder->regions->count; i++)
		if (balance_is_candidate(builder, i, true) &&
		    measure_idle(builder, i, &candidate) && candidate.cost_ns > best.cost_ns)
			best = candidate;
	if (best.idle == 0)
		return FINDING_NO_REGION;
	finding_add(builder,
		    (struct finding){.kind = "idle ranks",
				     .view = "ranks",
				     .region = best.region,
				     .cost_s = best.cost_ns * 1e-9},
		    "%zu of %zu ranks do%s no work in %s.", best.idle, builder->parts->rank_count,
		    best.idle == 1 ? "es" : "", finding_name(builder, best.region, name));
	return best.region;
}

/* Threads and processes may have different tasks: only those with time in the region are
 * compared. */
static void leave_out_idle(struct parts_spread *spread)
{
	size_t kept = 0;

	for (size_t i = 0; i < spread->count; i++)
		kept += spread->values[i] > 0;
	spread->count = kept;
	spread->mean = kept ? spread->sum / (double)kept : 0;
	spread->imbalance = spread->mean > 0 ? spread->max / spread->mean - 1 : 0;
}

static bool measure_uneven(struct findings_builder *builder, uint32_t region, enum parts_by by,
			   struct candidate *candidate)
{
	struct parts_spread *spread = &candidate->spread;

	*candidate = (struct candidate){.region = region};
	if (!balance_measure(builder, region, by, PARTS_WORK, spread))
		return false;
	if (by != PARTS_BY_RANK)
		leave_out_idle(spread);
	candidate->cost_ns = spread->max * (double)spread->count - spread->sum;
	free(spread->values);
	spread->values = NULL;
	return spread->count > 1 && spread->imbalance >= BALANCE_UNEVEN &&
	       candidate->cost_ns >= BALANCE_COST * builder->whole_ns;
}

static void add_uneven(struct findings_builder *builder, enum parts_by by,
		       const struct candidate *candidate)
{
	static const char *const nouns[PARTS_BY_COUNT] = {
		[PARTS_BY_THREAD] = "Threads",
		[PARTS_BY_PROCESS] = "Processes",
		[PARTS_BY_RANK] = "Ranks",
		[PARTS_BY_RUN] = "Runs",
	};
	char name[FINDING_NAME_MAX], at[128], most[QUANTITY_MAX], mean[QUANTITY_MAX],
		cost[QUANTITY_MAX];

	parts_group_name(builder->parts, by, candidate->spread.max_at, at, sizeof(at));
	finding_add(builder,
		    (struct finding){.kind = "uneven",
				     .view = "imbalance",
				     .region = candidate->region,
				     .cost_s = candidate->cost_ns * 1e-9},
		    "%s are uneven in %s: %s takes %s, the mean is %s; if the others wait for it, "
		    "they lose %s.",
		    nouns[by], finding_name(builder, candidate->region, name), at,
		    quantity_duration(candidate->spread.max * 1e-9, most),
		    quantity_duration(candidate->spread.mean * 1e-9, mean),
		    quantity_duration(candidate->cost_ns * 1e-9, cost));
}

static void find_uneven(struct findings_builder *builder, uint32_t reported)
{
	enum parts_by by = parts_by_default(builder->parts);
	struct candidate best = {0}, candidate;

	/* Repeated runs do not wait for each other; a rank is merged over all of them. */
	if (parts_group_count(builder->parts, by) < 2 ||
	    (by != PARTS_BY_RANK && builder->parts->run_count > 1))
		return;
	for (uint32_t i = 0; i < builder->regions->count; i++)
		if (i != reported && balance_is_candidate(builder, i, false) &&
		    measure_uneven(builder, i, by, &candidate) && candidate.cost_ns > best.cost_ns)
			best = candidate;
	if (best.cost_ns > 0)
		add_uneven(builder, by, &best);
}

static void find_missing_ranks(struct findings_builder *builder)
{
	size_t expected = 0, found = builder->parts->rank_count;

	for (size_t i = 0; i < builder->loaded->tree_count; i++) {
		size_t count = recording_rank_count(builder->loaded->trees[i]->recording);

		expected = expected < count ? count : expected;
	}
	if (found == 0 || expected <= found)
		return;
	finding_add(builder,
		    (struct finding){.kind = "missing ranks",
				     .view = "ranks",
				     .region = FINDING_NO_REGION,
				     .cost_s = builder->facts->duration_s},
		    "Of %zu ranks %zu left no recording here.", expected, expected - found);
}

static void find_spread_of_repeats(struct findings_builder *builder)
{
	struct parts_spread spread;
	bool *marks;
	char mean[QUANTITY_MAX], deviation[QUANTITY_MAX], share[QUANTITY_MAX];

	if (builder->parts->run_count < 2)
		return;
	marks = malloc((size_t)builder->regions->count + 1);
	for (uint32_t i = 0; marks && i < builder->regions->count; i++)
		marks[i] = true;
	if (!marks || parts_spread_sum(builder->parts, marks, builder->regions->count, PARTS_BY_RUN,
				       PARTS_SELF, &spread) < 0) {
		builder->has_failed = true;
		free(marks);
		return;
	}
	if (spread.deviation >= REPEATS_SPREAD * spread.mean && spread.mean > 0)
		finding_add(builder,
			    (struct finding){.kind = "repeats",
					     .view = "repeats",
					     .region = FINDING_NO_REGION,
					     .cost_s = spread.deviation * 1e-9},
			    "The %zu runs differ: %s on average, with a standard deviation of %s "
			    "(%s).",
			    spread.count, quantity_duration(spread.mean * 1e-9, mean),
			    quantity_duration(spread.deviation * 1e-9, deviation),
			    finding_percent(spread.deviation, spread.mean, share));
	parts_spread_release(&spread);
	free(marks);
}

void findings_of_balance(struct findings_builder *builder)
{
	find_missing_ranks(builder);
	if (builder->whole_ns <= 0)
		return;
	find_uneven(builder, find_idle_ranks(builder));
	find_spread_of_repeats(builder);
}
