/* The threads of a run, one row each. */
#include "report/report.h"

#include <stdlib.h>

#include "report/views/report_sampled_threads.h"
#include "report/views/report_text.h"

static const struct table_column thread_columns[] = {
	{"PID", "pid", TABLE_ID, 0, 0, false},
	{"THREAD", "thread", TABLE_ID, 0, 0, false},
	{"SYSTEM ID", "system_id", TABLE_ID, 0, 0, false},
	{"START", "start", TABLE_DURATION, 0, 0, false},
	{"RAN", "duration", TABLE_DURATION, 0, 0, false},
	{"CALLS", "calls", TABLE_COUNT, 0, 0, false},
	{"NAME", "name", TABLE_TEXT, 0, 0, false},
};

struct thread_entry {
	const struct recording *recording;
	const struct thread *thread;
	uint32_t number;
	uint64_t calls;
};

struct thread_list {
	struct thread_entry *entries;
	size_t count;
};

static struct table_cell thread_cell(void *context, size_t row, unsigned int column)
{
	const struct thread_list *list = context;
	const struct thread_entry *entry = &list->entries[row];
	const struct recording *recording = entry->recording;
	const struct thread *thread = entry->thread;
	uint64_t end = thread->end_ticks ? thread->end_ticks : recording->end_ticks;
	int64_t start_ns = recording_ns(recording, thread->start_ticks);

	switch (column) {
	case 0:
		return (struct table_cell){.count = recording->header.pid};
	case 1:
		return (struct table_cell){.count = entry->number};
	case 2:
		return (struct table_cell){.count = thread->system_id};
	case 3:
		return (struct table_cell){.number = (double)start_ns * 1e-9};
	case 4:
		return (struct table_cell){
			.number = (double)(recording_ns(recording, end) - start_ns) * 1e-9};
	case 5:
		return (struct table_cell){.count = entry->calls};
	default:
		return (struct table_cell){.is_missing = !thread->name, .text = thread->name};
	}
}

static void threads_add(struct thread_list *list, const struct calltree *tree)
{
	const struct recording *recording = tree->recording;
	struct thread_entry *first = list->entries + list->count;

	/* Numbers index the entries until those that are not there are taken out. */
	for (uint32_t i = 0; i < recording->thread_count; i++)
		first[i] = (struct thread_entry){recording, &recording->threads[i], i, 0};
	for (uint32_t i = 0; i < tree->node_count; i++) {
		if (tree->nodes[i].depth > 0)
			first[tree->nodes[i].thread].calls += tree->nodes[i].count;
	}
	for (uint32_t i = 0; i < recording->thread_count; i++) {
		if (recording->threads[i].is_present)
			list->entries[list->count++] = first[i];
	}
}

/* What they did can be told from samples, not from trees that were made of them. */
static bool has_sample_records(const struct loaded_run *loaded)
{
	bool has_records = false;

	for (size_t i = 0; loaded->is_sampled && i < loaded->tree_count; i++)
		has_records |= loaded_samples(loaded, i) != NULL;
	return has_records;
}

enum kymo_status report_threads(const struct report *report, struct problem *problem)
{
	struct thread_list list = {0};
	struct table table = {
		.columns = thread_columns,
		.column_count = sizeof(thread_columns) / sizeof(*thread_columns),
		.context = &list,
		.cell = thread_cell,
	};
	size_t count = 1;

	if (has_sample_records(report->loaded))
		return report_sampled_threads(report, problem);
	for (size_t i = 0; i < report->loaded->tree_count; i++)
		count += report->loaded->trees[i]->recording->thread_count;
	list.entries = calloc(count, sizeof(*list.entries));
	if (!list.entries)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	for (size_t i = 0; i < report->loaded->tree_count; i++)
		threads_add(&list, report->loaded->trees[i]);
	table.row_count = list.count;
	report_write_table(report, &table, "threads", true);
	free(list.entries);
	return KYMO_OK;
}
