/* The threads of sampled processes: what each did with its time. */
#include "report/views/report_sampled_threads.h"

#include <stdlib.h>

#include "model/samples/sampled_threads.h"
#include "report/report.h"
#include "report/views/report_text.h"

static const struct table_column columns[] = {
	{"PID", "pid", TABLE_ID, 0, 0, false},
	{"THREAD", "thread", TABLE_ID, 0, 0, false},
	{"SAMPLES", "samples", TABLE_COUNT, 0, 0, false},
	{"WALL", "wall", TABLE_DURATION, 0, 0, false},
	{"CPU", "cpu", TABLE_DURATION, 0, 0, false},
	{"% PYTHON", "python_percent", TABLE_PERCENT, 1, 0, false},
	{"% NATIVE", "native_percent", TABLE_PERCENT, 1, 0, false},
	{"% KERNEL", "kernel_percent", TABLE_PERCENT, 1, 0, false},
	{"% READY", "runnable_percent", TABLE_PERCENT, 1, 0, false},
	{"% WAITS", "waiting_percent", TABLE_PERCENT, 1, 0, false},
	{"FOR", "waits_for", TABLE_TEXT, 0, 0, false},
	{"NAME", "name", TABLE_TEXT, 0, 0, false},
};

static const enum sampled_class waits[] = {
	SAMPLED_LOCK,  SAMPLED_GIL,   SAMPLED_IO,    SAMPLED_NETWORK,
	SAMPLED_SLEEP, SAMPLED_CHILD, SAMPLED_OTHER,
};
#define WAIT_COUNT (sizeof(waits) / sizeof(*waits))

struct entry {
	const struct recording *recording;
	struct sampled_thread sampled;
};

struct list {
	struct entry *entries;
	size_t count;
	char text[128];
};

static struct table_cell threads_percent_cell(const struct sampled_thread *thread, double part)
{
	return (struct table_cell){.number =
					   thread->wall_ns > 0 ? 100 * part / thread->wall_ns : 0};
}

static double waiting_ns(const struct sampled_thread *thread)
{
	double sum = 0;

	for (size_t i = 0; i < WAIT_COUNT; i++)
		sum += thread->class_ns[waits[i]];
	return sum;
}

/* "GIL 31 %, sleep 12 %": the two that it waits for most. */
static struct table_cell wait_cell(struct list *list, const struct sampled_thread *thread)
{
	enum sampled_class first = waits[0], second = waits[0];
	double largest = 0, next = 0;
	size_t used;

	for (size_t i = 0; i < WAIT_COUNT; i++) {
		double ns = thread->class_ns[waits[i]];

		if (ns > largest) {
			next = largest;
			second = first;
			largest = ns;
			first = waits[i];
		} else if (ns > next) {
			next = ns;
			second = waits[i];
		}
	}
	if (largest <= 0)
		return (struct table_cell){.is_missing = true};
	used = (size_t)snprintf(list->text, sizeof(list->text), "%s %.0f %%",
				sampled_class_name(first), 100 * largest / thread->wall_ns);
	if (next >= 0.005 * thread->wall_ns)
		snprintf(list->text + used, sizeof(list->text) - used, ", %s %.0f %%",
			 sampled_class_name(second), 100 * next / thread->wall_ns);
	return (struct table_cell){.text = list->text};
}

static struct table_cell threads_cell(void *context, size_t row, unsigned int column)
{
	struct list *list = context;
	const struct entry *entry = &list->entries[row];
	const struct sampled_thread *thread = &entry->sampled;
	const char *name = entry->recording->threads[thread->thread].name;

	switch (column) {
	case 0:
		return (struct table_cell){.count = entry->recording->header.pid};
	case 1:
		return (struct table_cell){.count = thread->thread};
	case 2:
		return (struct table_cell){.count = thread->count};
	case 3:
		return (struct table_cell){.number = thread->wall_ns * 1e-9};
	case 4:
		return (struct table_cell){.number = thread->cpu_ns * 1e-9};
	case 5:
		return threads_percent_cell(thread, thread->class_ns[SAMPLED_PYTHON]);
	case 6:
		return threads_percent_cell(thread, thread->class_ns[SAMPLED_NATIVE]);
	case 7:
		return threads_percent_cell(thread, thread->class_ns[SAMPLED_KERNEL]);
	case 8:
		return threads_percent_cell(thread, thread->class_ns[SAMPLED_RUNNABLE]);
	case 9:
		return threads_percent_cell(thread, waiting_ns(thread));
	case 10:
		return wait_cell(list, thread);
	default:
		return (struct table_cell){.is_missing = !name, .text = name};
	}
}

static enum kymo_status threads_add_process(const struct report *report, struct list *list,
					    size_t index)
{
	struct recording *recording = (struct recording *)report->loaded->trees[index]->recording;
	struct sampled_threads *threads;
	struct entry *grown;
	enum kymo_status status =
		sampled_threads_new(recording, loaded_samples(report->loaded, index), &threads);

	if (status < 0)
		return status;
	grown = realloc(list->entries, (list->count + threads->count + 1) * sizeof(*grown));
	if (grown) {
		list->entries = grown;
		for (size_t i = 0; i < threads->count; i++)
			grown[list->count++] = (struct entry){recording, threads->threads[i]};
	}
	sampled_threads_free(threads);
	return grown ? KYMO_OK : KYMO_MEMORY;
}

enum kymo_status report_sampled_threads(const struct report *report, struct problem *problem)
{
	struct list list = {0};
	struct table table = {
		.columns = columns,
		.column_count = sizeof(columns) / sizeof(*columns),
		.context = &list,
		.cell = threads_cell,
	};
	enum kymo_status status = KYMO_OK;

	for (size_t i = 0; i < report->loaded->tree_count && status == KYMO_OK; i++)
		if (loaded_samples(report->loaded, i))
			status = threads_add_process(report, &list, i);
	if (status == KYMO_OK) {
		table.row_count = list.count;
		report_write_table(report, &table, "threads", true);
	} else {
		problem_set(problem, status, "out of memory");
	}
	free(list.entries);
	return status;
}
