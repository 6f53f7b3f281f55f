/* The processes of a run, one row each. */
#include "report/report.h"

#include "model/recording/recording_open.h"
#include "report/views/report_text.h"

static const char *processes_state_of(const struct recording *recording)
{
	if (recording->header.state == KYMO_STATE_ABANDONED)
		return "replaced";
	return recording->is_closed ? "closed" : "open";
}

static uint64_t processes_count_threads(const struct recording *recording)
{
	uint64_t count = 0;

	for (uint32_t i = 0; i < recording->thread_count; i++)
		count += recording->threads[i].is_present;
	return count;
}

static double processes_start_of(const struct report *report, const struct recording *recording)
{
	return (double)(recording->header.start_realtime_ns - report->facts->start_realtime_ns) *
	       1e-9;
}

/* A row is a tree. */
static const struct recording *processes_recording(const struct table_item *item)
{
	return (*(const struct calltree *const *)item->row)->recording;
}

static struct table_cell processes_pid(const struct table_item *item)
{
	return (struct table_cell){.count = processes_recording(item)->header.pid};
}

static struct table_cell processes_parent(const struct table_item *item)
{
	return (struct table_cell){.count = processes_recording(item)->header.parent_pid};
}

static struct table_cell processes_start(const struct table_item *item)
{
	return (struct table_cell){
		.number = processes_start_of(item->view, processes_recording(item))};
}

static struct table_cell processes_duration(const struct table_item *item)
{
	const struct recording *recording = processes_recording(item);

	return table_ns((double)recording_ns(recording, recording->end_ticks));
}

static struct table_cell processes_threads(const struct table_item *item)
{
	return (struct table_cell){.count = processes_count_threads(processes_recording(item))};
}

static struct table_cell processes_calls(const struct table_item *item)
{
	return (struct table_cell){
		.count = (*(const struct calltree *const *)item->row)->call_count};
}

static struct table_cell processes_state(const struct table_item *item)
{
	return table_text(processes_state_of(processes_recording(item)));
}

static struct table_cell processes_program(const struct table_item *item)
{
	return table_text(recording_program(processes_recording(item)));
}

static const struct table_column process_columns[] = {
	{"PID", "pid", TABLE_ID, TABLE_ALL, .get = processes_pid},
	{"PARENT", "parent", TABLE_ID, TABLE_ALL, .get = processes_parent},
	{"START", "start", TABLE_DURATION, TABLE_ALL, .get = processes_start},
	{"RAN", "duration", TABLE_DURATION, TABLE_ALL, .get = processes_duration},
	{"THREADS", "threads", TABLE_COUNT, TABLE_ALL, .get = processes_threads},
	{"CALLS", "calls", TABLE_COUNT, TABLE_ALL, .get = processes_calls},
	{"STATE", "state", TABLE_TEXT, TABLE_ALL, .get = processes_state},
	{"PROGRAM", "program", TABLE_TEXT, TABLE_ALL, .get = processes_program},
};

enum kymo_status report_processes(const struct report *report, struct problem *problem)
{
	struct table table = {
		TABLE_COLUMNS(process_columns),
		TABLE_ROWS(report->loaded->trees, report->loaded->tree_count),
		.view = (void *)report,
	};

	(void)problem;
	report_write_table(report, &table, "processes", true);
	return KYMO_OK;
}
