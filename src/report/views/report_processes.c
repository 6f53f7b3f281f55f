/* The processes of a run, one row each. */
#include "report/report.h"

#include "model/recording/recording_open.h"
#include "report/views/report_text.h"

static const struct table_column process_columns[] = {
	{"PID", "pid", TABLE_ID, 0, 0, false},
	{"PARENT", "parent", TABLE_ID, 0, 0, false},
	{"START", "start", TABLE_DURATION, 0, 0, false},
	{"RAN", "duration", TABLE_DURATION, 0, 0, false},
	{"THREADS", "threads", TABLE_COUNT, 0, 0, false},
	{"CALLS", "calls", TABLE_COUNT, 0, 0, false},
	{"STATE", "state", TABLE_TEXT, 0, 0, false},
	{"PROGRAM", "program", TABLE_TEXT, 0, 0, false},
};

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

static struct table_cell process_cell(void *context, size_t row, unsigned int column)
{
	const struct report *report = context;
	const struct calltree *tree = report->loaded->trees[row];
	const struct recording *recording = tree->recording;

	switch (column) {
	case 0:
		return (struct table_cell){.count = recording->header.pid};
	case 1:
		return (struct table_cell){.count = recording->header.parent_pid};
	case 2:
		return (struct table_cell){.number = processes_start_of(report, recording)};
	case 3:
		return (struct table_cell){
			.number = (double)recording_ns(recording, recording->end_ticks) * 1e-9};
	case 4:
		return (struct table_cell){.count = processes_count_threads(recording)};
	case 5:
		return (struct table_cell){.count = tree->call_count};
	case 6:
		return (struct table_cell){.text = processes_state_of(recording)};
	default:
		return (struct table_cell){.text = recording_program(recording)};
	}
}

enum kymo_status report_processes(const struct report *report, struct problem *problem)
{
	struct table table = {
		.columns = process_columns,
		.column_count = sizeof(process_columns) / sizeof(*process_columns),
		.row_count = report->loaded->tree_count,
		.context = (void *)report,
		.cell = process_cell,
	};

	(void)problem;
	report_write_table(report, &table, "processes", true);
	return KYMO_OK;
}
