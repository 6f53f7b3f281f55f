/* Statistics of series.  Several threads may have written the points of one. */
#include "model/recording/series_stats.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"
#include "model/recording/recording_open.h"

#define VALUE_MAX 1e60 /* multiplied by the ticks of a run it is still finite */

struct points {
	struct kymo_point *items;
	size_t count, capacity;
};

static int stats_compare(const void *a, const void *b)
{
	const struct kymo_point *left = a, *right = b;

	if (left->series != right->series)
		return left->series < right->series ? -1 : 1;
	return (left->ticks > right->ticks) - (left->ticks < right->ticks);
}

static bool stats_load(const struct recording *recording, struct points *points)
{
	struct kymo_point point, *grown;
	uint64_t index = 0;

	while (recording_point(recording, &index, &point)) {
		if (point.series >= recording->series_count || !(fabs(point.value) < VALUE_MAX))
			continue;
		grown = array_grow(points->items, &points->capacity, points->count + 1,
				   sizeof(*points->items));
		if (!grown)
			return false;
		points->items = grown;
		points->items[points->count++] = point;
	}
	if (points->count > 0)
		qsort(points->items, points->count, sizeof(*points->items), stats_compare);
	return true;
}

/* All points of one series, in the order of their times. */
static struct series_stats stats_sum_up(const struct recording *recording,
					const struct kymo_point *points, size_t count)
{
	struct series_stats stats = {.count = count,
				     .min = points[0].value,
				     .max = points[0].value,
				     .first = points[0].value,
				     .last = points[count - 1].value};
	double weight = 0, sum = 0;

	for (size_t i = 0; i < count; i++) {
		uint64_t end = i + 1 < count ? points[i + 1].ticks : recording->end_ticks;
		double length = end > points[i].ticks ? (double)(end - points[i].ticks) : 0;

		stats.min = points[i].value < stats.min ? points[i].value : stats.min;
		stats.max = points[i].value > stats.max ? points[i].value : stats.max;
		weight += length;
		sum += length * points[i].value;
	}
	stats.mean = weight > 0 ? sum / weight : stats.last;
	return stats;
}

struct series_stats *series_stats_new(const struct recording *recording)
{
	struct series_stats *stats = calloc(recording->series_count + 1, sizeof(*stats));
	struct points points = {0};
	bool is_loaded = stats && stats_load(recording, &points);

	for (size_t first = 0, next; is_loaded && first < points.count; first = next) {
		uint32_t series = points.items[first].series;

		for (next = first; next < points.count && points.items[next].series == series;)
			next++;
		stats[series] = stats_sum_up(recording, points.items + first, next - first);
	}
	free(points.items);
	if (!is_loaded) {
		free(stats);
		return NULL;
	}
	return stats;
}
