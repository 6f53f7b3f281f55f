/* Points are kept until there are too many; then they are reduced to steps. */
#include "view/timeline/timeline_series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "command/xalloc.h"
#include "view/page_out.h"

#define COARSER 8u

void timeline_series_init(struct timeline_series *series, uint64_t span_ns, uint32_t step_count)
{
	*series = (struct timeline_series){
		.span_ns = span_ns,
		.step_count = step_count,
		.min = INFINITY,
		.max = -INFINITY,
	};
}

void timeline_series_release(struct timeline_series *series)
{
	xfree(series->points);
	xfree(series->steps);
	*series = (struct timeline_series){0};
}

static void add_to(struct series_step *step, float min, float max, double sum, uint64_t count)
{
	if (!count)
		return;
	step->min = step->count ? fminf(step->min, min) : min;
	step->max = step->count ? fmaxf(step->max, max) : max;
	step->sum += sum;
	step->count += count;
}

static void add_to_step(struct timeline_series *series, const struct series_point *point)
{
	uint64_t step =
		(uint64_t)((double)point->ns / ((double)series->span_ns + 1) * series->step_count);

	if (step >= series->step_count)
		step = series->step_count - 1;
	add_to(&series->steps[step], point->value, point->value, (double)point->value, 1);
}

static void use_steps(struct timeline_series *series)
{
	series->steps = xcalloc(series->step_count, sizeof(*series->steps));
	for (uint64_t i = 0; i < SERIES_POINTS; i++)
		add_to_step(series, &series->points[i]);
	xfree(series->points);
	series->points = NULL;
}

void timeline_series_add(struct timeline_series *series, uint64_t ns, double value)
{
	const struct series_point point = {ns, (float)value};

	if (!isfinite(value) || !isfinite(point.value))
		return;
	series->min = fmin(series->min, value);
	series->max = fmax(series->max, value);
	if (series->count == SERIES_POINTS)
		use_steps(series);
	if (series->count >= SERIES_POINTS) {
		series->count++;
		add_to_step(series, &point);
		return;
	}
	series->points = xgrow(series->points, &series->capacity, series->count + 1,
			       sizeof(*series->points));
	series->points[series->count++] = point;
}

static void series_put_float(struct textbuf *bytes, float value)
{
	uint32_t word;
	char text[4];

	memcpy(&word, &value, sizeof(word));
	for (unsigned int i = 0; i < 4; i++)
		text[i] = (char)(word >> (8 * i));
	textbuf_bytes(bytes, text, sizeof(text));
}

static int compare_points(const void *left, const void *right)
{
	const struct series_point *a = left, *b = right;

	return a->ns < b->ns ? -1 : a->ns > b->ns;
}

static void put_points(struct timeline_series *series, struct textbuf *bytes)
{
	uint64_t last = 0;

	if (series->count)
		qsort(series->points, series->count, sizeof(*series->points), compare_points);
	page_varint(bytes, series->count);
	if (!series->count)
		page_varint(bytes, 0); /* nor steps */
	for (uint64_t i = 0; i < series->count; i++) {
		page_varint(bytes, series->points[i].ns - last);
		last = series->points[i].ns;
	}
	for (uint64_t i = 0; i < series->count; i++)
		series_put_float(bytes, series->points[i].value);
}

static void put_level(const struct series_step *steps, uint32_t count, struct textbuf *bytes)
{
	for (uint32_t i = 0; i < count; i++)
		series_put_float(bytes, steps[i].count ? steps[i].min : NAN);
	for (uint32_t i = 0; i < count; i++)
		series_put_float(bytes, steps[i].count ? steps[i].max : NAN);
	for (uint32_t i = 0; i < count; i++)
		series_put_float(bytes, steps[i].count
						? (float)(steps[i].sum / (double)steps[i].count)
						: NAN);
}

/* Merge the steps to those of the next coarser level. */
static void make_coarser(struct series_step *steps, uint32_t count)
{
	for (uint32_t i = 0; i < count / COARSER; i++) {
		struct series_step step = {0};

		for (uint32_t k = 0; k < COARSER; k++) {
			const struct series_step *part = &steps[i * COARSER + k];

			add_to(&step, part->min, part->max, part->sum, part->count);
		}
		steps[i] = step;
	}
}

void timeline_series_write(struct timeline_series *series, struct textbuf *bytes)
{
	if (!series->steps) {
		put_points(series, bytes);
		return;
	}
	page_varint(bytes, 0);
	page_varint(bytes, series->step_count);
	for (uint32_t count = series->step_count; count >= SERIES_COARSEST; count /= COARSER) {
		put_level(series->steps, count, bytes);
		make_coarser(series->steps, count);
	}
}

uint64_t timeline_series_bytes(const struct timeline_series *series)
{
	/* As base64; steps with all their coarser levels. */
	return series->steps ? (uint64_t)series->step_count * 12 * 8 / 7 * 4 / 3 + 64
			     : series->count * 12 * 4 / 3 + 64;
}
