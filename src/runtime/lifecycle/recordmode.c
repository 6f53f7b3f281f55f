/* Settings that do not go together, and the mode that the others mean. */
#include "runtime/lifecycle/recordmode.h"

#include <string.h>

#include "base/status.h"
#include "config/settings.h"
#include "config/settings_ignore.h"
#include "format/format.h"
#include "runtime/control/gate.h"
#include "runtime/lifecycle/session.h"
#include "runtime/metricread.h"
#include "runtime/runtime.h"

static bool is_sampled_timing(const struct settings *settings)
{
	return strcmp(settings_text(settings, SET_PYTHON_TIMING), "sampled") == 0;
}

unsigned recordmode_of_settings(void)
{
	unsigned mode = 0;

	if (settings_bool(session.settings, SET_PROFILE))
		mode |= KYMO_MODE_PROFILE;
	if (settings_keep_events(session.settings))
		mode |= KYMO_MODE_TRACE;
	if (mode == KYMO_MODE_PROFILE && is_sampled_timing(session.settings))
		mode |= KYMO_MODE_POSITIONS;
	return mode;
}

static int recordmode_check_components(struct problem *problem)
{
	uint32_t metrics[KYMO_METRICS_MAX];
	char unknown[256] = "";

	metrics_select(settings_text(session.settings, SET_TIMEMORY_COMPONENTS), metrics, unknown,
		       sizeof(unknown));
	if (!unknown[0])
		return KYMO_OK;
	return problem_set(problem, KYMO_USAGE,
			   "unknown component '%s' in KYMO_TIMEMORY_COMPONENTS; 'kymo avail "
			   "--components' lists them",
			   unknown);
}

static int recordmode_check_windows(struct problem *problem)
{
	return gate_configure(session.settings, problem);
}

/* What times of single calls are needed for does not go with positions of threads. */
static int recordmode_check_timing(struct problem *problem)
{
	const char *components = settings_text(session.settings, SET_TIMEMORY_COMPONENTS);
	uint32_t metrics[KYMO_METRICS_MAX];
	char unknown[256] = "";
	const char *what = NULL;

	if (!is_sampled_timing(session.settings) || !settings_bool(session.settings, SET_PROFILE))
		return KYMO_OK;
	if (settings_keep_events(session.settings))
		what = "a trace";
	else if (metrics_select(components, metrics, unknown, sizeof(unknown)) > 0)
		what = "metrics other than wall_clock and trip_count";
	else if (settings_text(session.settings, SET_PAPI_EVENTS)[0])
		what = "counters (PAPI_EVENTS)";
	if (!what)
		return KYMO_OK;
	return problem_set(problem, KYMO_USAGE,
			   "timing 'sampled' counts calls without reading a clock: it cannot be "
			   "combined with %s; use timing 'full'",
			   what);
}

/* names: the settings concerned. */
static int recordmode_check_with(int (*check)(struct problem *), const char *names,
				 struct problem *problem)
{
	int status;

	do
		status = check(problem);
	while (status == KYMO_USAGE &&
	       settings_ignore_environment(session.settings, names, problem) == KYMO_OK);
	return status;
}

int recordmode_check(struct problem *problem)
{
	int status =
		recordmode_check_with(recordmode_check_components, "TIMEMORY_COMPONENTS", problem);

	if (status >= 0)
		status = recordmode_check_with(recordmode_check_timing, "PYTHON_TIMING", problem);
	if (status < 0)
		return status;
	return recordmode_check_with(recordmode_check_windows,
				     "TRACE_PERIOD TRACE_DELAY TRACE_DURATION", problem);
}
