/* kymo ctl RUN status: one row per process. */
#include "cli/ctl/ctl_status.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "cli/ctl/ctl_run.h"
#include "cli/terminal.h"
#include "model/recording/recording_open.h"
#include "report/tables/table.h"
#include "report/tables/table_plain.h"
#include "text/json_writer.h"

static const struct {
	uint32_t cause;
	const char *key, *text;
} causes[] = {
	{KYMO_GATE_BY_CONTROL, "control", "stopped"},
	{KYMO_GATE_BY_PROGRAM, "program", "stopped by program"},
	{KYMO_GATE_BY_WINDOW, "window", "outside of its windows"},
	{KYMO_GATE_BY_REGION, "region", "outside of its regions"},
};

#define CAUSE_COUNT (sizeof(causes) / sizeof(*causes))

static const char *const state_keys[] = {"recording", "stopped",  "ended",
					 "killed",    "replaced", "elsewhere"};

static uint32_t causes_of(const struct ctl_process *process)
{
	return ctl_is_living(process) ? process->recording->header.gate_causes : 0;
}

/* The strongest cause. */
static const char *state_text(const struct ctl_process *process)
{
	for (size_t i = 0; i < CAUSE_COUNT; i++)
		if (causes_of(process) & causes[i].cause)
			return causes[i].text;
	return state_keys[process->state];
}

static uint64_t living_threads(const struct recording *recording)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < recording->thread_count; i++)
		count += recording->threads[i].is_present &&
			 (recording->is_closed || !recording->threads[i].end_ticks);
	return count;
}

static const char *size_text(uint64_t bytes)
{
	static char text[32];

	if (bytes >= 10000000)
		snprintf(text, sizeof(text), "%" PRIu64 " MB", bytes / 1000000);
	else
		snprintf(text, sizeof(text), "%" PRIu64 " kB", (bytes + 999) / 1000);
	return text;
}

static const char *time_text(uint64_t realtime_ns)
{
	static char text[64];
	time_t seconds = (time_t)(realtime_ns / 1000000000u);
	struct tm local;

	if (!localtime_r(&seconds, &local) || !strftime(text, sizeof(text), "%F %T", &local))
		return "-";
	return text;
}

static const struct recording *status_recording(const struct table_item *item)
{
	return ((const struct ctl_process *)item->row)->recording;
}

static struct table_cell status_pid(const struct table_item *item)
{
	return (struct table_cell){.count = status_recording(item)->header.pid};
}

static struct table_cell status_program(const struct table_item *item)
{
	return table_text(recording_program(status_recording(item)));
}

static struct table_cell status_state(const struct table_item *item)
{
	return table_text(state_text(item->row));
}

static struct table_cell status_threads(const struct table_item *item)
{
	return (struct table_cell){.count = living_threads(status_recording(item))};
}

static struct table_cell status_size(const struct table_item *item)
{
	return table_text(size_text(status_recording(item)->header.end));
}

static struct table_cell status_since(const struct table_item *item)
{
	return table_text(time_text(status_recording(item)->header.start_realtime_ns));
}

static const struct table_column columns[] = {
	{"PID", "pid", TABLE_ID, TABLE_ALL, .get = status_pid},
	{"PROGRAM", "program", TABLE_TEXT, TABLE_ALL, .get = status_program},
	{"STATE", "state", TABLE_TEXT, TABLE_ALL, .get = status_state},
	{"THREADS", "threads", TABLE_COUNT, TABLE_ALL, .get = status_threads},
	{"SIZE", "size", TABLE_TEXT, TABLE_ALL, .get = status_size},
	{"SINCE", "since", TABLE_TEXT, TABLE_ALL, .get = status_since},
};

static void status_write_process(struct json_writer *json, const struct ctl_process *process)
{
	const struct recording *recording = process->recording;

	json_line(json);
	json_begin_object(json);
	json_pair_count(json, "pid", recording->header.pid);
	json_pair_text(json, "program", recording_program(recording));
	json_pair_text(json, "state", state_keys[process->state]);
	json_key(json, "causes");
	json_begin_array(json);
	for (size_t i = 0; i < CAUSE_COUNT; i++)
		if (causes_of(process) & causes[i].cause)
			json_text(json, causes[i].key);
	json_end_array(json);
	json_pair_count(json, "threads", living_threads(recording));
	json_pair_count(json, "bytes", recording->header.end);
	json_pair_count(json, "start_realtime_ns", recording->header.start_realtime_ns);
	json_pair_text(json, "hostname", recording_note(recording, KYMO_NOTE_INFO, "hostname"));
	json_pair_text(json, "recording", recording->path);
	json_end_object(json);
}

static void status_write_json(const struct ctl_run *run)
{
	struct json_writer json = {.out = stdout};

	json_begin_object(&json);
	json_pair_text(&json, "directory", run->directory);
	json_pair_count(&json, "living", run->living_count);
	json_key(&json, "processes");
	json_begin_array(&json);
	for (size_t i = 0; i < run->count; i++)
		status_write_process(&json, &run->processes[i]);
	json_end_array(&json);
	json_end_object(&json);
	putchar('\n');
}

void ctl_status(const struct ctl_run *run, bool is_json)
{
	struct table table = {
		TABLE_COLUMNS(columns),
		.audience = TABLE_PEOPLE,
		TABLE_ROWS(run->processes, run->count),
	};

	if (is_json)
		status_write_json(run);
	else
		table_write_plain(&table, terminal_width(stdout), false, stdout);
}
