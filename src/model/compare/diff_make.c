/* Makes a diff of two sides of runs, and tests which of their differences are significant. */
#include "model/compare/diff_make.h"

#include <math.h>
#include <stdlib.h>

#include "model/compare/diff.h"
#include "model/compare/diff_align.h"
#include "model/compare/diff_region.h"
#include "model/compare/diff_settings.h"
#include "model/compare/diff_tree.h"
#include "model/compare/diff_values.h"
#include "model/profile/time_base.h"
#include "model/samples/sampled_kinds.h"
#include "model/samples/sampled_threads.h"

#define NORMAL_95     1.959963984540054 /* half width of a 95 % interval */
#define NOISE_REGIONS 5			/* fewer do not determine the noise */
#define NOISE_USUAL   5.0		/* percent; then this is assumed */
#define NOISE_LEAST   1.0
#define NOISE_SHARE   0.001 /* of a run; smaller regions are all noise */

static int make_by_size(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return a < b ? -1 : a > b;
}

/* The region did the same work before and after, judging by its calls. */
static bool make_is_steady(const struct diff *diff, const struct diff_region *region)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		if (!region->region[side] ||
		    region->value[side].self_ns <= NOISE_SHARE * diff->side[side].self.mean)
			return false;
	}
	return fabs(region->value[DIFF_BEFORE].count - region->value[DIFF_AFTER].count) < 0.5;
}

/* The median difference of such regions. */
static bool measure_noise(struct diff *diff)
{
	double *sizes = calloc(diff->region_count + (size_t)1, sizeof(*sizes));
	size_t count = 0;

	if (!sizes)
		return false;
	for (uint32_t i = 0; i < diff->region_count; i++) {
		const struct diff_region *region = &diff->regions[i];

		if (make_is_steady(diff, region))
			sizes[count++] = fabs(diff_percent(region->value[DIFF_BEFORE].self_ns,
							   region->value[DIFF_AFTER].self_ns));
	}
	qsort(sizes, count, sizeof(*sizes), make_by_size);
	diff->noise_percent =
		count < NOISE_REGIONS ? NOISE_USUAL : fmax(NOISE_LEAST, sizes[count / 2]);
	free(sizes);
	return true;
}

static bool *regions_called(const struct rows *rows)
{
	bool *has_calls = calloc(rows->regions->count + (size_t)1, sizeof(*has_calls));

	for (size_t i = 0; has_calls && i < rows->count; i++)
		has_calls[rows->rows[i].region] = true;
	return has_calls;
}

static enum kymo_status align(const struct diff *diff, struct diff_alignment *alignment)
{
	const struct region_union *const all[DIFF_SIDES] = {
		diff->side[DIFF_BEFORE].rows->regions,
		diff->side[DIFF_AFTER].rows->regions,
	};
	bool *has_calls[DIFF_SIDES];
	enum kymo_status status = KYMO_MEMORY;

	for (int side = 0; side < DIFF_SIDES; side++)
		has_calls[side] = regions_called(diff->side[side].rows);
	if (has_calls[DIFF_BEFORE] && has_calls[DIFF_AFTER])
		status = diff_align(all, has_calls, alignment);
	free(has_calls[DIFF_BEFORE]);
	free(has_calls[DIFF_AFTER]);
	return status;
}

/* Add time in no region after the regions; the alignment has space for it. */
static void make_add_rests(struct diff *diff)
{
	const struct region_union *before = diff->side[DIFF_BEFORE].rows->regions;
	const struct region_union *after = diff->side[DIFF_AFTER].rows->regions;
	const uint32_t rests[][DIFF_SIDES] = {{before->outside, after->outside},
					      {before->measuring, after->measuring}};

	for (size_t i = 0; i < sizeof(rests) / sizeof(*rests); i++) {
		uint32_t number = diff->region_count + diff->rest_count++;

		diff->regions[number] = (struct diff_region){
			.region = {before->regions[rests[i][DIFF_BEFORE]],
				   after->regions[rests[i][DIFF_AFTER]]},
			.match = DIFF_BY_IDENTITY,
		};
		for (int side = 0; side < DIFF_SIDES; side++)
			diff->side[side].numbers[rests[i][side]] = number;
	}
}

/* Drop those that neither side has. */
static void keep_rests(struct diff *diff)
{
	struct diff_region *rests = &diff->regions[diff->region_count];
	uint32_t kept = 0;

	for (uint32_t i = 0; i < diff->rest_count; i++)
		if (rests[i].value[DIFF_BEFORE].self_ns >= TIME_BASE_LEAST_NS ||
		    rests[i].value[DIFF_AFTER].self_ns >= TIME_BASE_LEAST_NS)
			rests[kept++] = rests[i];
	diff->rest_count = kept;
}

static bool make_fill(struct diff *diff, struct diff_alignment *alignment)
{
	bool is_complete;

	diff->regions = alignment->regions;
	diff->region_count = alignment->count;
	alignment->regions = NULL;
	for (int side = 0; side < DIFF_SIDES; side++) {
		diff->side[side].numbers = alignment->number[side];
		alignment->number[side] = NULL;
	}
	make_add_rests(diff);
	is_complete = diff_values_fill(diff, DIFF_BEFORE) == KYMO_OK &&
		      diff_values_fill(diff, DIFF_AFTER) == KYMO_OK;
	keep_rests(diff);
	is_complete = is_complete && diff_tree_build(diff) == KYMO_OK &&
		      diff_settings_compare(diff->side, &diff->warning) == KYMO_OK;
	diff->has_repeats =
		diff->side[DIFF_BEFORE].run_count > 1 || diff->side[DIFF_AFTER].run_count > 1;
	return is_complete && measure_noise(diff);
}

enum kymo_status diff_new(const struct loaded_run *const *before, size_t before_count,
			  const struct loaded_run *const *after, size_t after_count,
			  struct diff **out, struct problem *problem)
{
	struct diff *diff = calloc(1, sizeof(*diff));
	struct diff_alignment alignment = {0};
	bool is_complete;

	is_complete = diff && diff_runs_init(&diff->side[DIFF_BEFORE], before, before_count,
					     problem) == KYMO_OK;
	is_complete = is_complete && diff_runs_init(&diff->side[DIFF_AFTER], after, after_count,
						    problem) == KYMO_OK;
	is_complete =
		is_complete && align(diff, &alignment) == KYMO_OK && make_fill(diff, &alignment);
	diff_alignment_release(&alignment);
	if (!is_complete) {
		diff_free(diff);
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	*out = diff;
	return KYMO_OK;
}

void diff_free(struct diff *diff)
{
	if (!diff)
		return;
	diff_runs_release(&diff->side[DIFF_BEFORE]);
	diff_runs_release(&diff->side[DIFF_AFTER]);
	free(diff->regions);
	free(diff->nodes);
	free(diff->warning);
	free(diff);
}

double diff_percent(double before, double after)
{
	if (before == after)
		return 0;
	return before > 0 ? 100 * (after - before) / before : INFINITY;
}

const char *diff_match_text(enum diff_match match)
{
	static const char *const texts[] = {"none", "identity", "line moved", "file moved",
					    "other object"};

	return texts[match];
}

const char *diff_verdict_text(enum diff_verdict verdict)
{
	static const char *const texts[] = {"same",  "faster",	"slower",
					    "added", "removed", "undecided"};

	return texts[verdict];
}

/* The standard error of a time from samples; 0 if calls were recorded. */
static double sampled_error_ns(const struct diff_runs *side, double ns)
{
	struct sampled_share share;

	if (side->effective_count <= 0 || side->self.mean <= 0)
		return 0;
	share = sampled_interval(ns / side->self.mean, side->effective_count);
	return (share.high - share.low) / (2 * NORMAL_95) * side->self.mean;
}

double diff_chance(const struct diff *diff, const struct diff_region *region,
		   enum diff_measure measure)
{
	const struct moments *moments = diff_moments(region, measure);
	double before = moments[DIFF_BEFORE].mean, after = moments[DIFF_AFTER].mean, error;

	if (diff->has_repeats)
		return welch_test(&moments[DIFF_BEFORE], &moments[DIFF_AFTER]).p;
	if (measure != DIFF_SELF && measure != DIFF_TOTAL)
		return NAN;
	error = hypot(sampled_error_ns(&diff->side[DIFF_BEFORE], before),
		      sampled_error_ns(&diff->side[DIFF_AFTER], after));
	return error > 0 ? normal_two_sided((after - before) / error) : NAN;
}

/* Of a side: the errors of the measure in that direction, and their systematic part. */
static void make_error_of(const struct diff_region *region, enum diff_side side,
			  enum diff_measure measure, bool is_above, double *error, double *off)
{
	const struct calltree_estimate *estimate = &region->estimate[side];
	double count = measure == DIFF_MEAN ? fmax(region->value[side].count, 1) : 1;

	*error = *off = 0;
	if (!estimate->is_known || measure == DIFF_COUNT)
		return;
	if (measure == DIFF_SELF) {
		*error = is_above ? estimate->self_above_ns : estimate->self_below_ns;
		*off = is_above ? estimate->self_off_above_ns : estimate->self_off_below_ns;
		return;
	}
	*error = (is_above ? estimate->total_above_ns : estimate->total_below_ns) / count;
	*off = (is_above ? estimate->total_off_above_ns : estimate->total_off_below_ns) / count;
}

/* A difference grows as one side grows and the other shrinks. */
static double error_of_difference(const struct diff_region *region, enum diff_measure measure,
				  bool is_above)
{
	double error[DIFF_SIDES], off[DIFF_SIDES];

	make_error_of(region, DIFF_AFTER, measure, is_above, &error[DIFF_AFTER], &off[DIFF_AFTER]);
	make_error_of(region, DIFF_BEFORE, measure, !is_above, &error[DIFF_BEFORE],
		      &off[DIFF_BEFORE]);
	return hypot(fmax(error[DIFF_AFTER] - off[DIFF_AFTER], 0),
		     fmax(error[DIFF_BEFORE] - off[DIFF_BEFORE], 0)) +
	       off[DIFF_AFTER] + off[DIFF_BEFORE];
}

struct diff_interval diff_interval_of(const struct diff_region *region, enum diff_measure measure)
{
	const struct moments *moments = diff_moments(region, measure);
	double difference = moments[DIFF_AFTER].mean - moments[DIFF_BEFORE].mean;

	return (struct diff_interval){
		.low = difference - error_of_difference(region, measure, false),
		.high = difference + error_of_difference(region, measure, true),
	};
}

bool diff_may_be_none(const struct diff_region *region, enum diff_measure measure)
{
	struct diff_interval interval = diff_interval_of(region, measure);

	return interval.low < interval.high && interval.low <= 0 && interval.high >= 0;
}

bool diff_is_exact(const struct diff *diff, enum diff_measure measure)
{
	return measure == DIFF_COUNT && !diff->side[DIFF_BEFORE].is_sampled &&
	       !diff->side[DIFF_AFTER].is_sampled;
}

static enum diff_verdict make_verdict_of(const struct diff *diff, const struct diff_region *region,
					 enum diff_measure measure, double p)
{
	const struct moments *moments = diff_moments(region, measure);
	double before = moments[DIFF_BEFORE].mean, after = moments[DIFF_AFTER].mean;

	if (!region->region[DIFF_BEFORE])
		return DIFF_ADDED;
	if (!region->region[DIFF_AFTER])
		return DIFF_REMOVED;
	if (before == after || (!isnan(p) && !(p < DIFF_SURE)))
		return DIFF_SAME;
	if ((!diff->has_repeats && !diff_is_exact(diff, measure)) ||
	    diff_may_be_none(region, measure))
		return DIFF_UNDECIDED;
	return after > before ? DIFF_SLOWER : DIFF_FASTER;
}

bool diff_judge(const struct diff *diff, enum diff_measure measure, const uint32_t *regions,
		size_t count, struct diff_judgement *out)
{
	double *chances;
	bool is_complete;

	if (!regions)
		count = diff->region_count;
	chances = calloc(count + 1, sizeof(*chances));
	if (!chances)
		return false;
	for (size_t i = 0; i < count; i++)
		chances[i] = diff_chance(diff, &diff->regions[regions ? regions[i] : i], measure);
	is_complete = chances_correct_hochberg(chances, count);
	for (size_t i = 0; is_complete && i < count; i++) {
		const struct diff_region *region = &diff->regions[regions ? regions[i] : i];

		out[i].p = chances[i];
		out[i].verdict = make_verdict_of(diff, region, measure, chances[i]);
	}
	free(chances);
	return is_complete;
}
