/* Configuration of libkymo-procstat.so: reads the settings when the runtime has opened. */
#include <stdlib.h>
#include <string.h>

#include "collectors/procstat/procstat.h"
#include "collectors/procstat/procstat_cores.h"
#include "collectors/procstat/procstat_file.h"
#include "collectors/procstat/procstat_thread.h"
#include "runtime/runtime.h"
#include "runtime/store/note.h"

#define SECOND_NS    1e9
#define MOST_HZ	     1000.0
#define DEFAULT_MOST 100.0 /* limit of the rate that is derived from that of samples */

static double procstat_number(const char *name)
{
	const char *value = kymo_runtime_setting(name);

	return value && value[0] ? strtod(value, NULL) : 0;
}

static const char *procstat_text(const char *name)
{
	const char *value = kymo_runtime_setting(name);

	return value ? value : "";
}

static double frequency(void)
{
	double hz = procstat_number("PROCESS_SAMPLING_FREQ");

	if (hz <= 0) {
		hz = procstat_number("SAMPLING_FREQ");
		if (hz <= 0 || hz > DEFAULT_MOST)
			hz = DEFAULT_MOST;
	}
	return hz < MOST_HZ ? hz : MOST_HZ;
}

/* -1 means as for samples. */
static uint64_t seconds_ns(const char *name, const char *general)
{
	double seconds = procstat_number(name);

	if (seconds < 0)
		seconds = procstat_number(general);
	return seconds > 0 ? (uint64_t)(seconds * SECOND_NS) : 0;
}

static void procstat_on_open(void)
{
	struct procstat_plan plan = {
		.period_ns = (uint64_t)(SECOND_NS / frequency()),
		.delay_ns = seconds_ns("PROCESS_SAMPLING_DELAY", "SAMPLING_DELAY"),
		.duration_ns = seconds_ns("PROCESS_SAMPLING_DURATION", "SAMPLING_DURATION"),
	};

	if (strcmp(procstat_text("PROCESS_SAMPLING"), "ON") != 0)
		return;
	if (!procstat_cores_choose(procstat_text("SAMPLING_CPUS")))
		kymo_note_add(KYMO_NOTE_WARNING, "machine",
			      "SAMPLING_CPUS is no list of cores like 0,4-7: all are recorded");
	procstat_counters_choose(procstat_text("PAPI_EVENTS"));
	procstat_format(plan.root, sizeof(plan.root), "%s", procstat_text("PROCESS_SAMPLING_ROOT"));
	procstat_begin(&plan);
}

__attribute__((constructor)) static void begin(void)
{
	kymo_runtime_on_open(procstat_on_open);
}
