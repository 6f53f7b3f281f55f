/* Series of readings: what differs from the reading before is appended. */
#include <stdarg.h>
#include <stdio.h>

#include "collectors/procstat/procstat.h"
#include "runtime/threads/helper.h"

#define NAME_BYTES 96

static struct kymo_points points;
static uint64_t ticks_of_now, now_ns;

void procstat_series_begin(void)
{
	points = (struct kymo_points){0};
}

void procstat_series_now(uint64_t ticks, uint64_t ns)
{
	ticks_of_now = ticks;
	now_ns = ns;
}

uint64_t procstat_now_ns(void)
{
	return now_ns;
}

static void define(struct procstat_series *series, uint32_t thread, const char *unit,
		   const char *format, va_list list)
{
	char name[NAME_BYTES];

	vsnprintf(name, sizeof(name), format, list);
	series->id = kymo_series_define_for(name, unit, thread);
	series->has_last = false;
}

void procstat_series_define(struct procstat_series *series, const char *unit, const char *format,
			    ...)
{
	va_list list;

	va_start(list, format);
	define(series, KYMO_NO_THREAD, unit, format, list);
	va_end(list);
}

void procstat_series_define_thread(struct procstat_series *series, uint32_t thread,
				   const char *unit, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	define(series, thread, unit, format, list);
	va_end(list);
}

void procstat_put(struct procstat_series *series, double value)
{
	if (series->has_last && !(value < series->last) && !(value > series->last))
		return;
	if (!kymo_points_append(&points, series->id, ticks_of_now, value))
		return;
	series->last = value;
	series->has_last = true;
}

double procstat_grown(struct procstat_growth *growth, uint64_t value)
{
	if (!growth->has_first) {
		growth->has_first = true;
		growth->first = value;
	}
	return (double)(int64_t)(value - growth->first);
}
