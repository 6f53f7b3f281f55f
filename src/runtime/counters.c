/* Metrics that a collector provides: their names in the recording, and when they are read. */
#include "runtime/counters.h"

#include <stdio.h>

#include "format/metric.h"
#include "runtime/lifecycle/session.h"
#include "runtime/store/note.h"

static const struct kymo_counters *provider;
static const struct kymo_counter_name *names;
static unsigned name_count;
static bool has_begun;

bool kymo_counters_provide(const struct kymo_counters *counters)
{
	if (session.state != KYMO_RUNTIME_NEW)
		return false;
	provider = counters;
	return true;
}

/* A metric's value in the file is the index of its definition: they are defined together. */
uint32_t counters_select(uint32_t *metrics, uint32_t count)
{
	if (provider && !has_begun)
		name_count = provider->begin(&names);
	has_begun = true;
	if (name_count > KYMO_METRICS_MAX - count)
		name_count = KYMO_METRICS_MAX - count;
	for (unsigned i = 0; i < name_count; i++) {
		metric_define(names[i].name, names[i].unit, names[i].description);
		metrics[count++] = KYMO_METRIC_NAMED + i;
	}
	return count;
}

void counters_note(void)
{
	char key[16], value[256];

	for (unsigned i = 0; i < name_count; i++) {
		snprintf(key, sizeof(key), "%u", KYMO_METRIC_NAMED + i);
		snprintf(value, sizeof(value), "%s\n%s\n%s", names[i].name, names[i].unit,
			 names[i].description);
		note_write(KYMO_NOTE_METRIC, key, value);
	}
}

bool counters_are_on(void)
{
	return name_count > 0;
}

void counters_read(uint64_t values[KYMO_COUNTERS_MAX])
{
	provider->read(values);
}

void counters_end_thread(void)
{
	if (name_count)
		provider->end();
}

void counters_forked(void)
{
	if (name_count)
		provider->forked();
}

void counters_close(void)
{
	if (name_count)
		provider->close();
}
