/* Looking metrics up.  Clocks are stored in nanoseconds and shown in seconds, memory is stored
 * in bytes and shown in (decimal) megabytes. */
#include "format/metric.h"

#include <stddef.h>
#include <string.h>

#define CLOCK	"ns", "sec", 1e-9
#define MEMORY	"bytes", "MB", 1e-6
#define NUMBER	"", "", 1.0
#define PERCENT "%", "%", 1.0

static const struct metric_info metric_table[KYMO_METRIC_COUNT] = {
#define METRIC(number, id, name, unit, sums, thread, text)                                         \
	[KYMO_METRIC_##id] = {KYMO_METRIC_##id, name, text, unit, sums, thread},
#include "format/metrics.def"
#undef METRIC
};

static struct named {
	struct metric_info info;
	char name[64], unit[16], description[128];
} named[METRIC_NAMED_MAX];
static uint32_t named_count;

static void metric_copy(char *to, const char *from, size_t size)
{
	size_t length = strnlen(from, size - 1);

	memcpy(to, from, length);
	to[length] = '\0';
}

uint32_t metric_define(const char *name, const char *unit, const char *description)
{
	const struct metric_info *known = metric_find(name);
	struct named *row = &named[named_count];

	if (known)
		return (uint32_t)known->metric;
	if (named_count == METRIC_NAMED_MAX)
		return KYMO_METRIC_COUNT;
	metric_copy(row->name, name, sizeof(row->name));
	metric_copy(row->unit, unit, sizeof(row->unit));
	metric_copy(row->description, description, sizeof(row->description));
	row->info =
		(struct metric_info){.metric = (enum kymo_metric)(KYMO_METRIC_NAMED + named_count),
				     .name = row->name,
				     .description = row->description,
				     .unit = row->unit,
				     .display_unit = row->unit,
				     .display_scale = 1.0,
				     .is_accumulated = true,
				     .is_per_thread = true};
	return KYMO_METRIC_NAMED + named_count++;
}

uint32_t metric_named_count(void)
{
	return named_count;
}

const struct metric_info *metric_info(enum kymo_metric metric)
{
	if ((unsigned)metric >= KYMO_METRIC_NAMED)
		return (unsigned)metric - KYMO_METRIC_NAMED < named_count
			       ? &named[(unsigned)metric - KYMO_METRIC_NAMED].info
			       : NULL;
	return (unsigned)metric < KYMO_METRIC_COUNT ? &metric_table[metric] : NULL;
}

const struct metric_info *metric_find(const char *name)
{
	for (size_t i = 0; i < KYMO_METRIC_COUNT; i++) {
		if (strcmp(metric_table[i].name, name) == 0)
			return &metric_table[i];
	}
	for (size_t i = 0; i < named_count; i++) {
		if (strncmp(named[i].name, name, sizeof(named[i].name) - 1) == 0)
			return &named[i].info;
	}
	return NULL;
}
enum kymo_metric metric_clock_of(enum kymo_metric metric)
{
	switch (metric) {
	case KYMO_METRIC_CPU_UTIL:
		return KYMO_METRIC_CPU_CLOCK;
	case KYMO_METRIC_THREAD_CPU_UTIL:
		return KYMO_METRIC_THREAD_CPU_CLOCK;
	case KYMO_METRIC_PROCESS_CPU_UTIL:
		return KYMO_METRIC_PROCESS_CPU_CLOCK;
	default:
		return KYMO_METRIC_COUNT;
	}
}
