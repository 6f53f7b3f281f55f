/* The threads of sampled processes: what each did with its time. */
#include "report/views/report_sampled_threads.h"

#include "command/xalloc.h"
#include "model/samples/sampled_class.h"
#include "model/samples/sampled_threads.h"
#include "report/report.h"
#include "report/tables/table_get.h"
#include "report/views/report_text.h"

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

static double waiting_ns(const struct sampled_thread *thread)
{
	double sum = 0;

	for (size_t i = 0; i < WAIT_COUNT; i++)
		sum += thread->class_ns[waits[i]];
	return sum;
}

/* "GIL 31 %, sleep 12 %": the two that it waits for most. */
static struct table_cell threads_waits_for(const struct table_item *item)
{
	const struct sampled_thread *thread = &((const struct entry *)item->row)->sampled;
	struct list *list = item->view;
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

static struct table_cell sampled_threads_pid(const struct table_item *item)
{
	return (struct table_cell){
		.count = ((const struct entry *)item->row)->recording->header.pid};
}

/* The member as a part of its time. */
static struct table_cell threads_percent(const struct table_item *item)
{
	const double *part = table_member(item);

	return table_percent(*part, ((const struct entry *)item->row)->sampled.wall_ns);
}

static struct table_cell threads_waiting(const struct table_item *item)
{
	const struct sampled_thread *thread = &((const struct entry *)item->row)->sampled;

	return table_percent(waiting_ns(thread), thread->wall_ns);
}

static struct table_cell sampled_threads_name(const struct table_item *item)
{
	const struct entry *entry = item->row;

	return table_text(entry->recording->threads[entry->sampled.thread].name);
}

#define THREADS_FIELD(member) TABLE_FIELD(struct entry, sampled.member)
#define THREADS_PERCENT(class)                                                                     \
	TABLE_PERCENT, TABLE_ALL,                                                                  \
		TABLE_MEMBER(threads_percent, struct entry, sampled.class_ns[class])

static const struct table_column columns[] = {
	{"PID", "pid", TABLE_ID, TABLE_ALL, .get = sampled_threads_pid},
	{"THREAD", "thread", TABLE_ID, TABLE_ALL, THREADS_FIELD(thread)},
	{"SAMPLES", "samples", TABLE_COUNT, TABLE_ALL, THREADS_FIELD(count)},
	{"WALL", "wall", TABLE_DURATION, TABLE_ALL, THREADS_FIELD(wall_ns)},
	{"CPU", "cpu", TABLE_DURATION, TABLE_ALL, THREADS_FIELD(cpu_ns)},
	{"% PYTHON", "python_percent", THREADS_PERCENT(SAMPLED_PYTHON)},
	{"% NATIVE", "native_percent", THREADS_PERCENT(SAMPLED_NATIVE)},
	{"% KERNEL", "kernel_percent", THREADS_PERCENT(SAMPLED_KERNEL)},
	{"% READY", "runnable_percent", THREADS_PERCENT(SAMPLED_RUNNABLE)},
	{"% WAITS", "waiting_percent", TABLE_PERCENT, TABLE_ALL, .get = threads_waiting},
	{"FOR", "waits_for", TABLE_TEXT, TABLE_ALL, .get = threads_waits_for},
	{"NAME", "name", TABLE_TEXT, TABLE_ALL, .get = sampled_threads_name},
};

static void threads_add_process(const struct report *report, struct list *list, size_t index)
{
	struct recording *recording = (struct recording *)report->loaded->trees[index]->recording;
	struct sampled_threads *threads;

	xneed(sampled_threads_new(recording, loaded_samples(report->loaded, index), &threads) ==
	      KYMO_OK);
	list->entries = xreallocarray(list->entries, list->count + threads->count + 1,
				      sizeof(*list->entries));
	for (size_t i = 0; i < threads->count; i++)
		list->entries[list->count++] = (struct entry){recording, threads->threads[i]};
	sampled_threads_free(threads);
}

enum kymo_status report_sampled_threads(const struct report *report, struct problem *problem)
{
	struct list list = {0};
	struct table table = {TABLE_COLUMNS(columns), .view = &list};

	(void)problem;
	for (size_t i = 0; i < report->loaded->tree_count; i++)
		if (loaded_samples(report->loaded, i))
			threads_add_process(report, &list, i);
	table_set_rows(&table, list.entries, list.count);
	report_write_table(report, &table, "threads", true);
	return KYMO_OK;
}
