/* The threads of a run, one row each. */
#include "report/report.h"

#include "command/xalloc.h"
#include "report/tables/table_get.h"
#include "report/views/report_sampled_threads.h"
#include "report/views/report_text.h"

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

static struct table_cell threads_pid(const struct table_item *item)
{
	const struct thread_entry *entry = item->row;

	return (struct table_cell){.count = entry->recording->header.pid};
}

static struct table_cell threads_system_id(const struct table_item *item)
{
	const struct thread_entry *entry = item->row;

	return (struct table_cell){.count = entry->thread->system_id};
}

static double threads_start_ns(const struct thread_entry *entry)
{
	return (double)recording_ns(entry->recording, entry->thread->start_ticks);
}

static struct table_cell threads_start(const struct table_item *item)
{
	return table_ns(threads_start_ns(item->row));
}

static struct table_cell threads_duration(const struct table_item *item)
{
	const struct thread_entry *entry = item->row;
	uint64_t end =
		entry->thread->end_ticks ? entry->thread->end_ticks : entry->recording->end_ticks;

	return table_ns((double)recording_ns(entry->recording, end) - threads_start_ns(entry));
}

static struct table_cell threads_name(const struct table_item *item)
{
	return table_text(((const struct thread_entry *)item->row)->thread->name);
}

static const struct table_column thread_columns[] = {
	{"PID", "pid", TABLE_ID, TABLE_ALL, .get = threads_pid},
	{"THREAD", "thread", TABLE_ID, TABLE_ALL, TABLE_FIELD(struct thread_entry, number)},
	{"SYSTEM ID", "system_id", TABLE_ID, TABLE_ALL, .get = threads_system_id},
	{"START", "start", TABLE_DURATION, TABLE_ALL, .get = threads_start},
	{"RAN", "duration", TABLE_DURATION, TABLE_ALL, .get = threads_duration},
	{"CALLS", "calls", TABLE_COUNT, TABLE_ALL, TABLE_FIELD(struct thread_entry, calls)},
	{"NAME", "name", TABLE_TEXT, TABLE_ALL, .get = threads_name},
};

static void threads_add(struct thread_list *list, const struct calltree *tree)
{
	const struct recording *recording = tree->recording;
	struct thread_entry *first = list->entries + list->count;

	/* Numbers index the entries until missing threads are removed. */
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

/* Their activities need samples; trees made of samples are not sufficient. */
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
	struct table table = {TABLE_COLUMNS(thread_columns)};
	size_t count = 1;

	if (has_sample_records(report->loaded))
		return report_sampled_threads(report, problem);
	for (size_t i = 0; i < report->loaded->tree_count; i++)
		count += report->loaded->trees[i]->recording->thread_count;
	list.entries = xcalloc(count, sizeof(*list.entries));
	for (size_t i = 0; i < report->loaded->tree_count; i++)
		threads_add(&list, report->loaded->trees[i]);
	table_set_rows(&table, list.entries, list.count);
	report_write_table(report, &table, "threads", true);
	return KYMO_OK;
}
