/* Findings about memory, and about the recording itself. */
#include "model/findings/findings_state.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/findings/findings_builder.h"
#include "model/recording/recording_open.h"

#define RESIDENT_SERIES "CPU Memory Usage (S)" /* MB */
#define QUARTERS	4
#define GROWTH_POINTS	8    /* two a quarter */
#define GROWTH_SHARE	0.20 /* of its first value: more than caches that fill at the start */
#define GROWTH_LEAST_MB 10.0
#define HINT_WEIGHT	0.10 /* of the run: the cost is not known */

#define UNRECORDED_SHARE 0.50 /* of main threads: more is unrecorded than recorded */

#define MEASURING_PERCENT 10 /* of the run: times of brief functions are not reliable */

struct growth {
	uint64_t first_ticks, last_ticks, count;
	double sums[QUARTERS];
	uint64_t counts[QUARTERS];
	double first_mb, last_mb;
};

static bool is_resident(const struct recording *recording, const struct kymo_point *point)
{
	return point->series < recording->series_count && recording->series[point->series].name &&
	       strcmp(recording->series[point->series].name, RESIDENT_SERIES) == 0;
}

static void state_find_span(const struct recording *recording, struct growth *growth)
{
	struct kymo_point point;
	uint64_t index = 0;

	while (recording_point(recording, &index, &point)) {
		if (!is_resident(recording, &point))
			continue;
		if (growth->count == 0 || point.ticks < growth->first_ticks) {
			growth->first_ticks = point.ticks;
			growth->first_mb = point.value;
		}
		if (growth->count == 0 || point.ticks >= growth->last_ticks) {
			growth->last_ticks = point.ticks;
			growth->last_mb = point.value;
		}
		growth->count++;
	}
}

static void fill_quarters(const struct recording *recording, struct growth *growth)
{
	uint64_t span = growth->last_ticks - growth->first_ticks + 1, index = 0;
	struct kymo_point point;

	while (recording_point(recording, &index, &point)) {
		double place;
		size_t quarter;

		if (!is_resident(recording, &point))
			continue;
		place = (double)(point.ticks - growth->first_ticks) / (double)span * QUARTERS;
		quarter = place < QUARTERS ? (size_t)place : QUARTERS - 1;
		growth->sums[quarter] += point.value;
		growth->counts[quarter]++;
	}
}

/* Every quarter is higher than the one before it. */
static bool state_is_steady(const struct growth *growth)
{
	double before = 0, first = 0;

	for (int i = 0; i < QUARTERS; i++) {
		double mean;

		if (growth->counts[i] == 0)
			return false;
		mean = growth->sums[i] / (double)growth->counts[i];
		if (i == 0)
			first = mean;
		else if (!(mean > before))
			return false;
		before = mean;
	}
	return before - first >= GROWTH_SHARE * first && before - first >= GROWTH_LEAST_MB;
}

static void find_growth(struct findings_builder *builder, const struct recording *recording)
{
	struct growth growth = {0};
	char from[QUANTITY_MAX], to[QUANTITY_MAX], time[QUANTITY_MAX];
	double seconds;

	state_find_span(recording, &growth);
	if (growth.count < GROWTH_POINTS)
		return;
	fill_quarters(recording, &growth);
	if (!state_is_steady(&growth))
		return;
	seconds = recording_tick_ns(recording) * (double)(growth.last_ticks - growth.first_ticks) *
		  1e-9;
	finding_add(builder,
		    (struct finding){.kind = "memory",
				     .view = "series",
				     .region = FINDING_NO_REGION,
				     .cost_s = HINT_WEIGHT * seconds},
		    "Memory of process %u grows all the time: from %s to %s in %s.",
		    recording->header.pid, quantity_bytes(growth.first_mb * 1e6, from),
		    quantity_bytes(growth.last_mb * 1e6, to), quantity_duration(seconds, time));
}

static void find_memory(struct findings_builder *builder)
{
	for (size_t i = 0; i < builder->loaded->tree_count; i++) {
		size_t before = builder->count;

		find_growth(builder, builder->loaded->trees[i]->recording);
		if (builder->count > before)
			return;
	}
}

/* Time that filters exclude has no region of its own, such as bodies of modules. */
static void find_unrecorded(struct findings_builder *builder)
{
	double all_ns = 0, own_ns = 0;
	char share[QUANTITY_MAX];

	for (size_t i = 0; i < builder->loaded->tree_count; i++) {
		const struct calltree *tree = builder->loaded->trees[i];

		struct time_base base = time_base_of(&tree, 1, 0);

		if (tree->call_count == 0)
			continue;
		all_ns += base.whole_ns;
		own_ns += base.outside_ns;
	}
	if (own_ns < UNRECORDED_SHARE * all_ns || own_ns <= 0)
		return;
	finding_add(builder,
		    (struct finding){.kind = "unrecorded",
				     .view = "tree",
				     .region = FINDING_NO_REGION,
				     .cost_s = HINT_WEIGHT * own_ns * 1e-9},
		    "%s of the main thread's time is outside any recorded region; "
		    "'kymo sample' shows it.",
		    finding_percent(own_ns, all_ns, share));
}

static void find_losses(struct findings_builder *builder)
{
	const struct run_facts *facts = builder->facts;
	char more[48] = "";

	if (facts->loss_count == 0)
		return;
	if (facts->loss_count > 1)
		snprintf(more, sizeof(more), " (and %zu more)", facts->loss_count - 1);
	finding_add(builder,
		    (struct finding){.kind = "losses",
				     .view = "flat",
				     .region = FINDING_NO_REGION,
				     .cost_s = facts->duration_s},
		    "The recording is incomplete or inexact: %s%s.", facts->losses[0], more);
}

static void find_cost(struct findings_builder *builder)
{
	const struct run_facts *facts = builder->facts;
	char share[QUANTITY_MAX];

	if (!facts->is_calibrated || facts->cost_percent < MEASURING_PERCENT)
		return;
	finding_add(builder,
		    (struct finding){.kind = "measuring",
				     .view = "flat",
				     .region = FINDING_NO_REGION,
				     .cost_s = run_facts_cost_s(facts)},
		    "Measuring took %s of the run: times of short functions are mostly overhead; "
		    "'kymo sample' has less.",
		    finding_percent(facts->cost_percent, 100, share));
}

void findings_of_state(struct findings_builder *builder)
{
	find_memory(builder);
	if (!builder->loaded->is_sampled)
		find_unrecorded(builder);
	find_losses(builder);
	find_cost(builder);
}
