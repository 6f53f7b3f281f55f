/* What is sampled, from the settings; a missing setting has its default. */
#include "collectors/sampler/sampler_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/sampler/sampler_event.h"
#include "collectors/sampler/sampler_kinds.h"
#include "collectors/sampler/sampler_signals.h"
#include "platform/systemclock.h"
#include "platform/usage.h"
#include "runtime/log.h"
#include "runtime/store/note.h"

#define FREQUENCY_DEFAULT 100.0
#define FREQUENCY_MAX	  100000.0
#define DEPTH_DEFAULT	  512u
#define NS_PER_SECOND	  1e9

static const char *const kind_names[SAMPLER_KINDS] = {"REALTIME", "CPUTIME", "OVERFLOW"};

struct sampler_plan sampler_plan;

static void plan_complain(const char *text)
{
	kymo_note_add(KYMO_NOTE_LOSS, "sampling", text);
	kymo_log(KYMO_LOG_ERROR, "%s", text);
}

/* The text of SAMPLING_NAME; "" if not set. */
static const char *plan_text(const char *name)
{
	char full[128];
	const char *value;

	snprintf(full, sizeof(full), "SAMPLING%s%s", name[0] ? "_" : "", name);
	value = kymo_runtime_setting(full);
	return value ? value : "";
}

static bool plan_is_on(const char *name)
{
	return strcmp(plan_text(name), "ON") == 0;
}

static double plan_number(const char *name, double otherwise)
{
	const char *value = plan_text(name);
	char *end;
	double found = strtod(value, &end);

	return end == value ? otherwise : found;
}

/* SAMPLING_<kind>_<name>, or if that is not set SAMPLING_<name>. */
static double number_of_kind(unsigned kind, const char *name, double otherwise)
{
	char full[64];
	double found;

	snprintf(full, sizeof(full), "%s_%s", kind_names[kind], name);
	found = plan_number(full, -1);
	return found >= 0 ? found : plan_number(name, otherwise);
}

static void plan_add_range(struct sampler_threads *threads, uint32_t first, uint32_t last)
{
	if (threads->count == SAMPLER_RANGES_MAX)
		return;
	threads->range[threads->count].first = first;
	threads->range[threads->count].last = last;
	threads->count++;
}

/* "0,2-4": what is not a number is skipped. */
static void plan_read_threads(struct sampler_threads *threads, const char *list)
{
	while (*list) {
		char *end;
		unsigned long first = strtoul(list, &end, 10), last = first;

		if (end == list) {
			list++;
			continue;
		}
		if (*end == '-')
			last = strtoul(end + 1, &end, 10);
		plan_add_range(threads, (uint32_t)first, (uint32_t)last);
		list = end;
	}
}

bool sampler_threads_has(const struct sampler_threads *threads, uint32_t thread)
{
	for (uint32_t i = 0; i < threads->count; i++)
		if (thread >= threads->range[i].first && thread <= threads->range[i].last)
			return true;
	return threads->count == 0;
}

/* The kernel checks CPU clocks once a tick: twice the requested rate is needed for samples to be
 * moved only slightly. */
static bool has_precise_clock(uint64_t period_ns)
{
	uint64_t tick_ns = systemclock_step_ns(CLOCK_MONOTONIC_COARSE);

	return tick_ns > 0 && tick_ns * 2 <= period_ns;
}

static bool choose_engine(struct sampler_kind *kind, unsigned index)
{
	bool sees_kernel;

	if (index == KYMO_SAMPLE_REALTIME - 1) {
		kind->engine = SAMPLER_WALL;
		return true;
	}
	if (index == KYMO_SAMPLE_OVERFLOW - 1) {
		kind->engine = SAMPLER_EVENT;
		return sampler_event_probe(&kind->event, &sees_kernel);
	}
	/* An event that does not count in the kernel would add that time to what follows. */
	(void)sampler_event_find("perf::PERF_COUNT_SW_TASK_CLOCK", &kind->event);
	kind->is_time = true;
	kind->otherwise = has_precise_clock(kind->period) ? SAMPLER_CPU : SAMPLER_WEIGHTED;
	kind->engine = kind->otherwise;
	if (sampler_event_probe(&kind->event, &sees_kernel) && sees_kernel)
		kind->engine = SAMPLER_EVENT;
	return true;
}

static uint64_t period_of(unsigned index)
{
	double frequency = number_of_kind(index, "FREQ", FREQUENCY_DEFAULT);

	if (index == KYMO_SAMPLE_OVERFLOW - 1)
		return frequency >= 1 ? (uint64_t)frequency : 1;
	if (!(frequency > 0))
		frequency = FREQUENCY_DEFAULT;
	return (uint64_t)(NS_PER_SECOND / (frequency < FREQUENCY_MAX ? frequency : FREQUENCY_MAX));
}

static void read_kind(unsigned index)
{
	struct sampler_kind *kind = &sampler_plan.kind[index];
	const char *event = plan_text("OVERFLOW_EVENT");
	double duration = number_of_kind(index, "DURATION", 0);
	char line[256], name[64];

	kind->period = period_of(index);
	kind->start_ns = usage_clock_ns(CLOCK_MONOTONIC) +
			 (uint64_t)(number_of_kind(index, "DELAY", 0) * NS_PER_SECOND);
	if (duration > 0)
		kind->end_ns = kind->start_ns + (uint64_t)(duration * NS_PER_SECOND);
	snprintf(name, sizeof(name), "%s_TIDS", kind_names[index]);
	plan_read_threads(&kind->threads, plan_text(name)[0] ? plan_text(name) : plan_text("TIDS"));
	if (index == KYMO_SAMPLE_OVERFLOW - 1 && !sampler_event_find(event, &kind->event)) {
		snprintf(line, sizeof(line),
			 "unknown event '%.64s': nothing is sampled by its overflow; 'kymo avail "
			 "-H' lists what there is",
			 event);
		plan_complain(line);
		return;
	}
	if (!choose_engine(kind, index)) {
		snprintf(line, sizeof(line),
			 "the event '%.64s' is not available here (%m): nothing is sampled by its "
			 "overflow",
			 event);
		plan_complain(line);
		return;
	}
	snprintf(name, sizeof(name), "%s_SIGNAL", kind_names[index]);
	kind->signal = sampler_signal_choose((int)plan_number(name, 0));
	kind->is_on = kind->signal != 0;
	if (!kind->is_on) {
		snprintf(line, sizeof(line), "no signal is free for sampling by %s: it is skipped",
			 kind_names[index]);
		plan_complain(line);
	}
}

bool sampler_plan_read(void)
{
	double depth = plan_number("DEPTH", DEPTH_DEFAULT);
	bool is_any = false;

	if (!plan_is_on(""))
		return false;
	sampler_plan.depth =
		depth >= 1 && depth <= SAMPLER_DEPTH_MAX ? (uint32_t)depth : DEPTH_DEFAULT;
	sampler_plan.has_jitter = strcmp(plan_text("JITTER"), "OFF") != 0;
	for (unsigned i = 0; i < SAMPLER_KINDS; i++)
		is_any |= plan_is_on(kind_names[i]);
	for (unsigned i = 0; i < SAMPLER_KINDS; i++)
		if (is_any ? plan_is_on(kind_names[i]) : i == 0)
			read_kind(i);
	for (unsigned i = 0; i < SAMPLER_KINDS; i++)
		if (sampler_plan.kind[i].is_on)
			return true;
	return false;
}
