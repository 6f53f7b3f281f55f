/* What threads wait for, and where: from samples by the object and the line that waited, from
 * recorded calls by the call and its object. */
#include "report/report.h"

#include <string.h>

#include "base/basename.h"
#include "command/xalloc.h"
#include "model/samples/sampled_class.h"
#include "model/samples/sampled_waits.h"
#include "report/tables/table_get.h"
#include "report/tables/table_sort.h"
#include "report/views/report_text.h"

struct entry {
	double ns;
	uint64_t count;
	const char *waits_for, *object, *call, *function, *file;
	uint32_t line;
	bool is_call; /* recorded: function is the caller */
};

struct list {
	struct entry *entries;
	size_t count, capacity;
	double total_ns; /* of all threads, waiting or not */
	struct sampled_waits **owners;
	size_t owner_count;
	char text[REPORT_NAME_MAX];
};

static struct table_cell waits_text_cell(const char *text)
{
	return (struct table_cell){.is_missing = !text || !*text, .text = text};
}

/* A member that may be empty. */
static struct table_cell waits_text(const struct table_item *item)
{
	return waits_text_cell(table_get_text(item).text);
}

static struct table_cell waits_percent(const struct table_item *item)
{
	const struct list *list = item->view;

	return table_percent(((const struct entry *)item->row)->ns, list->total_ns);
}

/* "work  file.c:12", "pthread_join from main" */
static struct table_cell waits_place(const struct table_item *item)
{
	struct list *list = item->view;
	const struct entry *entry = item->row;
	const char *file = path_base_name(entry->file);

	if (!entry->function)
		return waits_text_cell(entry->call);
	if (entry->is_call)
		snprintf(list->text, sizeof(list->text), "%s from %s", entry->call,
			 entry->function);
	else if (file && entry->line)
		snprintf(list->text, sizeof(list->text), "%s  %s:%u", entry->function, file,
			 entry->line);
	else
		snprintf(list->text, sizeof(list->text), "%s", entry->function);
	return waits_text_cell(list->text);
}

#define WAITS_TEXT(member) TABLE_MEMBER(waits_text, struct entry, member)

static const struct table_column columns[] = {
	{"TIME", "time", TABLE_DURATION, TABLE_ALL, TABLE_FIELD(struct entry, ns)},
	{"% TIME", "percent", TABLE_PERCENT, TABLE_ALL, .get = waits_percent},
	{"TIMES", "count", TABLE_COUNT, TABLE_ALL, TABLE_FIELD(struct entry, count)},
	{"FOR", "waits_for", TABLE_TEXT, TABLE_ALL, WAITS_TEXT(waits_for)},
	{"OBJECT", "object", TABLE_TEXT, TABLE_ALL, WAITS_TEXT(object)},
	{"WHERE", "place", TABLE_TEXT, TABLE_PEOPLE, .get = waits_place},
	{"CALL", "call", TABLE_TEXT, TABLE_PROGRAMS, WAITS_TEXT(call)},
	{"FUNCTION", "function", TABLE_TEXT, TABLE_PROGRAMS, WAITS_TEXT(function)},
	{"FILE", "file", TABLE_TEXT, TABLE_PROGRAMS, WAITS_TEXT(file)},
	{"LINE", "line", TABLE_ID, TABLE_PROGRAMS,
	 TABLE_MEMBER(table_get_line, struct entry, line)},
};

/* Ties keep their order. */
static const char *const waits_order[] = {"time", "object", NULL};

static int waits_compare_texts(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "");
}

static bool waits_is_same(const struct entry *a, const struct entry *b)
{
	return a->line == b->line && !waits_compare_texts(a->waits_for, b->waits_for) &&
	       !waits_compare_texts(a->object, b->object) &&
	       !waits_compare_texts(a->call, b->call) &&
	       !waits_compare_texts(a->function, b->function) &&
	       !waits_compare_texts(a->file, b->file);
}

static void waits_add(struct list *list, const struct entry *entry)
{
	for (size_t i = 0; i < list->count; i++) {
		if (!waits_is_same(&list->entries[i], entry))
			continue;
		list->entries[i].ns += entry->ns;
		list->entries[i].count += entry->count;
		return;
	}
	list->entries =
		xgrow(list->entries, &list->capacity, list->count + 1, sizeof(*list->entries));
	list->entries[list->count++] = *entry;
}

static void waits_add_samples(struct list *list, const struct report *report, size_t tree)
{
	struct recording *recording = (struct recording *)report->loaded->trees[tree]->recording;
	struct sampled_waits *waits;

	xneed(sampled_waits_new(recording, loaded_samples(report->loaded, tree),
				&report->options.sampled, &waits) == KYMO_OK);
	list->owners[list->owner_count++] = waits;
	list->total_ns += waits->total_ns;
	for (size_t i = 0; i < waits->count; i++) {
		const struct sampled_wait *wait = &waits->waits[i];
		const struct entry entry = {
			.ns = wait->ns,
			.count = wait->count,
			.waits_for = sampled_class_name(wait->class),
			.object = wait->object,
			.call = wait->call,
			.function = wait->function,
			.file = wait->file,
			.line = wait->line,
		};

		waits_add(list, &entry);
	}
}

/* Calls that wait have the object as argument; the location is the caller. */
static void waits_add_calls(struct list *list, const struct calltree *tree)
{
	const struct region *regions = tree->recording->regions;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];
		const struct region *region = &regions[node->region], *caller = NULL;

		if (node->depth == 0) {
			list->total_ns += node->sum_ns;
			continue;
		}
		if (region->kind != KYMO_REGION_PTHREAD || !(region->flags & KYMO_REGION_OBJECT))
			continue;
		if (node->depth > 1)
			caller = &regions[tree->nodes[node->parent].region];
		waits_add(list, &(struct entry){
					.ns = node->self_ns,
					.count = node->count,
					.is_call = true,
					.waits_for = "lock",
					.object = region->arguments,
					.call = region->name,
					.function = caller ? caller->name : NULL,
					.file = caller ? caller->file : NULL,
					.line = caller ? caller->line : 0,
				});
	}
}

static void waits_collect(struct list *list, const struct report *report)
{
	const struct loaded_run *loaded = report->loaded;

	list->owners = xcalloc(loaded->tree_count + 1, sizeof(struct sampled_waits *));
	for (size_t i = 0; i < loaded->tree_count; i++) {
		if (!loaded->is_sampled)
			waits_add_calls(list, loaded->trees[i]);
		else if (loaded_samples(loaded, i))
			waits_add_samples(list, report, i);
	}
}

static void waits_write(const struct report *report, struct list *list)
{
	struct table table = {
		TABLE_COLUMNS(columns),
		TABLE_ROWS(list->entries, report_row_count(report, list->count)),
		.order = table_order_new(list->count),
		.view = list,
	};

	table_sort(&table, list->count, waits_order);
	report_write_table(report, &table, "waits", true);
	if (list->count == 0)
		report_write_remark(report, "(no thread was seen waiting)");
	report_remark_rest(report, list->count, "wait");
}

enum kymo_status report_waits(const struct report *report, struct problem *problem)
{
	struct list list = {0};

	(void)problem;
	waits_collect(&list, report);
	waits_write(report, &list);
	for (size_t i = 0; i < list.owner_count; i++)
		sampled_waits_free(list.owners[i]);
	return KYMO_OK;
}
