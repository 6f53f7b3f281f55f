/* Series of readings: what differs from the reading before is appended. */
#include "collectors/procstat/procstat_series.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "runtime/store/seriestable.h"
#include "runtime/threads/helper.h"

#define NAME_BYTES 96
#define SERIES_OFF UINT32_MAX /* the id of a series that is not recorded but could exist */

/* For series of no other category. */
#define CATEGORY_REST "process_sampling"

/* By prefix; the first match counts. */
static const struct {
	const char *beginning, *category;
} categories[] = {
	{"CPU Frequency ", "cpu_frequency"},
	{"CPU Page Faults", "process_page_fault"},
	{"CPU Minor Page Faults", "process_page_fault"},
	{"CPU Major Page Faults", "process_page_fault"},
	{"CPU Virtual Memory", "process_virtual_memory"},
	{"CPU Peak Memory", "process_memory_hwm"},
	{"CPU Context Switches", "process_context_switch"},
	{"CPU Voluntary Context Switches", "process_context_switch"},
	{"CPU Involuntary Context Switches", "process_context_switch"},
	{"CPU User Time", "process_user_cpu_time"},
	{"CPU Kernel Time", "process_kernel_cpu_time"},
	{"Thread CPU time", "thread_cpu_time"},
	{"Thread Page Faults", "thread_page_fault"},
	{"Thread Context Switches", "thread_context_switch"},
	{"Thread ", "thread_hardware_counter"},
};

static struct kymo_points points;
static uint64_t ticks_of_now, now_ns;

static const char *series_category_of(const char *name)
{
	for (size_t i = 0; i < sizeof(categories) / sizeof(*categories); i++)
		if (strncmp(name, categories[i].beginning, strlen(categories[i].beginning)) == 0)
			return categories[i].category;
	return CATEGORY_REST;
}

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

static void series_define(struct procstat_series *series, uint32_t thread, const char *unit,
			  const char *format, va_list list)
{
	char name[NAME_BYTES];

	vsnprintf(name, sizeof(name), format, list);
	series->is_off = !kymo_runtime_records(series_category_of(name));
	series->id = series->is_off ? SERIES_OFF : kymo_series_define_for(name, unit, thread);
	series->has_last = false;
}

void procstat_series_define(struct procstat_series *series, const char *unit, const char *format,
			    ...)
{
	va_list list;

	va_start(list, format);
	series_define(series, KYMO_NO_THREAD, unit, format, list);
	va_end(list);
}

void procstat_series_define_thread(struct procstat_series *series, uint32_t thread,
				   const char *unit, const char *format, ...)
{
	va_list list;

	va_start(list, format);
	series_define(series, thread, unit, format, list);
	va_end(list);
}

void procstat_put(struct procstat_series *series, double value)
{
	if (series->is_off)
		return;
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
