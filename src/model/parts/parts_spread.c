/* How a region's time is distributed over threads, processes, ranks or runs. */
#include "model/parts/parts_spread.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/compare/ttest.h"
#include "model/parts/parts_group.h"

static int compare_values(const void *left, const void *right)
{
	double a = *(const double *)left, b = *(const double *)right;

	return (a > b) - (a < b);
}

static enum kymo_status find_median(struct parts_spread *spread)
{
	size_t middle = spread->count / 2;
	double *sorted = malloc(spread->count * sizeof(*sorted));

	if (!sorted)
		return KYMO_MEMORY;
	memcpy(sorted, spread->values, spread->count * sizeof(*sorted));
	qsort(sorted, spread->count, sizeof(*sorted), compare_values);
	spread->median =
		spread->count % 2 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
	free(sorted);
	return KYMO_OK;
}

static void find_deviation(struct parts_spread *spread, double student)
{
	double count = (double)spread->count, squares = 0, reach;

	for (size_t i = 0; i < spread->count; i++) {
		double distance = spread->values[i] - spread->mean;

		squares += distance * distance;
	}
	if (spread->count < 2)
		return;
	spread->deviation = sqrt(squares / (count - 1));
	reach = student * spread->deviation / sqrt(count);
	spread->low = spread->mean - reach;
	spread->high = spread->mean + reach;
}

/* Derive the statistics from the count values. */
static enum kymo_status spread_finish(struct parts_spread *spread, double student)
{
	if (spread->count == 0)
		return KYMO_OK;
	spread->min = spread->max = spread->values[0];
	for (size_t i = 0; i < spread->count; i++) {
		spread->sum += spread->values[i];
		if (spread->values[i] < spread->min) {
			spread->min = spread->values[i];
			spread->min_at = i;
		}
		if (spread->values[i] > spread->max) {
			spread->max = spread->values[i];
			spread->max_at = i;
		}
	}
	spread->mean = spread->sum / (double)spread->count;
	spread->imbalance = spread->mean > 0 ? spread->max / spread->mean - 1 : 0;
	find_deviation(spread, student);
	return find_median(spread);
}

static double spread_time_of(const struct part_share *share, enum parts_time time)
{
	switch (time) {
	case PARTS_SELF:
		break;
	case PARTS_TOTAL:
		return share->total_ns;
	case PARTS_WORK:
		return share->work_ns;
	case PARTS_WORK_TOTAL:
		return share->work_total_ns;
	}
	return share->self_ns;
}

static void spread_add_region(const struct parts *parts, uint32_t region, enum parts_by by,
			      enum parts_time time, double *values)
{
	const struct parts_groups *groups = &parts->groups[by];

	for (size_t i = parts->first[region]; i < parts->first[region + 1]; i++) {
		const struct part_share *share = &parts->shares[i];

		values[groups->of[share->part]] += spread_time_of(share, time);
	}
}

/* Of the sum over the values. */
static enum kymo_status spread_of_all(const struct parts *parts, enum parts_by by,
				      struct parts_spread *spread, struct parts_spread *out)
{
	const struct parts_groups *groups = &parts->groups[by];
	size_t usual = parts_usual_count(parts, by);
	enum kymo_status status;

	/* The process that started the ranks does none of their work, and must not affect it. */
	if (usual < groups->count && spread->values[usual] <= 0)
		spread->count = usual;
	status =
		spread_finish(spread, spread->count == usual
					      ? groups->student
					      : student_quantile(0.975, (double)spread->count - 1));
	if (status < 0)
		free(spread->values);
	else
		*out = *spread;
	return status;
}

static bool spread_begin(const struct parts *parts, enum parts_by by, struct parts_spread *spread)
{
	size_t count = parts->groups[by].count;

	*spread = (struct parts_spread){.count = count, .low = NAN, .high = NAN};
	spread->values = calloc(count + 1, sizeof(*spread->values));
	return spread->values != NULL;
}

enum kymo_status parts_spread_new(const struct parts *parts, uint32_t region, enum parts_by by,
				  enum parts_time time, struct parts_spread *out)
{
	struct parts_spread spread;

	if (!spread_begin(parts, by, &spread))
		return KYMO_MEMORY;
	spread_add_region(parts, region, by, time, spread.values);
	return spread_of_all(parts, by, &spread, out);
}

enum kymo_status parts_spread_sum(const struct parts *parts, const bool *marks,
				  uint32_t region_count, enum parts_by by, enum parts_time time,
				  struct parts_spread *out)
{
	struct parts_spread spread;

	if (!spread_begin(parts, by, &spread))
		return KYMO_MEMORY;
	for (uint32_t i = 0; i < region_count; i++)
		if (marks[i])
			spread_add_region(parts, i, by, time, spread.values);
	return spread_of_all(parts, by, &spread, out);
}

enum kymo_status parts_spread_ranked(const struct parts *parts, struct parts_spread *spread)
{
	size_t count = parts->rank_count;

	if (count == 0 || spread->count <= count)
		return KYMO_OK;
	*spread = (struct parts_spread){
		.count = count, .values = spread->values, .low = NAN, .high = NAN};
	return spread_finish(spread, parts->groups[PARTS_BY_RANK].student);
}

void parts_spread_release(struct parts_spread *spread)
{
	free(spread->values);
	*spread = (struct parts_spread){0};
}
