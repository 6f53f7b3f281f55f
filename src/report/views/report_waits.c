/* What threads wait for, and where: from samples by the object and the line that waited, from
 * recorded calls by the call and its object. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/basename.h"
#include "model/samples/sampled_waits.h"
#include "report/views/report_text.h"

static const struct table_column people_columns[] = {
	{"TIME", "time", TABLE_DURATION, 0, 0, false},
	{"% TIME", "percent", TABLE_PERCENT, 1, 0, false},
	{"TIMES", "count", TABLE_COUNT, 0, 0, false},
	{"FOR", "waits_for", TABLE_TEXT, 0, 0, false},
	{"OBJECT", "object", TABLE_TEXT, 0, 0, false},
	{"WHERE", "place", TABLE_TEXT, 0, 0, false},
};

static const struct table_column program_columns[] = {
	{"TIME", "time", TABLE_DURATION, 0, 0, false},
	{"% TIME", "percent", TABLE_PERCENT, 1, 0, false},
	{"TIMES", "count", TABLE_COUNT, 0, 0, false},
	{"FOR", "waits_for", TABLE_TEXT, 0, 0, false},
	{"OBJECT", "object", TABLE_TEXT, 0, 0, false},
	{"CALL", "call", TABLE_TEXT, 0, 0, false},
	{"FUNCTION", "function", TABLE_TEXT, 0, 0, false},
	{"FILE", "file", TABLE_TEXT, 0, 0, false},
	{"LINE", "line", TABLE_ID, 0, 0, false},
};

#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

struct entry {
	double ns;
	uint64_t count;
	const char *waits_for, *object, *call, *function, *file;
	uint32_t line;
	bool is_call; /* recorded: function is who called */
};

struct list {
	struct entry *entries;
	size_t count, capacity;
	double total_ns; /* of all threads, waiting or not */
	struct sampled_waits **owners;
	size_t owner_count;
	bool is_for_people;
	char text[REPORT_NAME_MAX];
};

static struct table_cell waits_text_cell(const char *text)
{
	return (struct table_cell){.is_missing = !text || !*text, .text = text};
}

/* "work  file.c:12", "pthread_join from main" */
static struct table_cell waits_place_cell(struct list *list, const struct entry *entry)
{
	const char *file = path_base_name(entry->file);

	if (!entry->function)
		return waits_text_cell(entry->call);
	if (entry->is_call) {
		snprintf(list->text, sizeof(list->text), "%s from %s", entry->call,
			 entry->function);
		return waits_text_cell(list->text);
	}
	if (file && entry->line)
		snprintf(list->text, sizeof(list->text), "%s  %s:%u", entry->function, file,
			 entry->line);
	else
		snprintf(list->text, sizeof(list->text), "%s", entry->function);
	return waits_text_cell(list->text);
}

static struct table_cell waits_cell(void *context, size_t row, unsigned int column)
{
	struct list *list = context;
	const struct entry *entry = &list->entries[row];

	switch (column) {
	case 0:
		return (struct table_cell){.number = entry->ns * 1e-9};
	case 1:
		return (struct table_cell){
			.number = list->total_ns > 0 ? 100 * entry->ns / list->total_ns : 0};
	case 2:
		return (struct table_cell){.count = entry->count};
	case 3:
		return waits_text_cell(entry->waits_for);
	case 4:
		return waits_text_cell(entry->object);
	case 5:
		return list->is_for_people ? waits_place_cell(list, entry)
					   : waits_text_cell(entry->call);
	case 6:
		return waits_text_cell(entry->function);
	case 7:
		return waits_text_cell(entry->file);
	default:
		return (struct table_cell){.is_missing = !entry->line, .count = entry->line};
	}
}

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

static bool waits_add(struct list *list, const struct entry *entry)
{
	struct entry *grown;

	for (size_t i = 0; i < list->count; i++) {
		if (!waits_is_same(&list->entries[i], entry))
			continue;
		list->entries[i].ns += entry->ns;
		list->entries[i].count += entry->count;
		return true;
	}
	grown = array_grow(list->entries, &list->capacity, list->count + 1, sizeof(*grown));
	if (!grown)
		return false;
	list->entries = grown;
	grown[list->count++] = *entry;
	return true;
}

static bool waits_add_samples(struct list *list, const struct report *report, size_t tree)
{
	struct recording *recording = (struct recording *)report->loaded->trees[tree]->recording;
	struct sampled_waits *waits;
	bool is_whole = true;

	if (sampled_waits_new(recording, loaded_samples(report->loaded, tree),
			      &report->options.sampled, &waits) < 0)
		return false;
	list->owners[list->owner_count++] = waits;
	list->total_ns += waits->total_ns;
	for (size_t i = 0; i < waits->count && is_whole; i++) {
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

		is_whole = waits_add(list, &entry);
	}
	return is_whole;
}

/* Calls that wait carry what they wait for; the place is who called. */
static bool waits_add_calls(struct list *list, const struct calltree *tree)
{
	const struct region *regions = tree->recording->regions;
	bool is_whole = true;

	for (uint32_t i = 0; i < tree->node_count && is_whole; i++) {
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
		is_whole = waits_add(list, &(struct entry){
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
	return is_whole;
}

static int waits_by_time(const void *left, const void *right)
{
	const struct entry *a = left, *b = right;

	if (a->ns != b->ns)
		return a->ns < b->ns ? 1 : -1;
	return waits_compare_texts(a->object, b->object);
}

static bool waits_collect(struct list *list, const struct report *report)
{
	const struct loaded_run *loaded = report->loaded;
	bool is_whole = true;

	list->owners = calloc(loaded->tree_count + 1, sizeof(struct sampled_waits *));
	if (!list->owners)
		return false;
	for (size_t i = 0; i < loaded->tree_count && is_whole; i++) {
		if (!loaded->is_sampled)
			is_whole = waits_add_calls(list, loaded->trees[i]);
		else if (loaded_samples(loaded, i))
			is_whole = waits_add_samples(list, report, i);
	}
	if (is_whole && list->count > 0)
		qsort(list->entries, list->count, sizeof(*list->entries), waits_by_time);
	return is_whole;
}

enum kymo_status report_waits(const struct report *report, struct problem *problem)
{
	struct list list = {
		.is_for_people = report_form_is_for_people(report->options.form),
	};
	struct table table = {
		.columns = list.is_for_people ? people_columns : program_columns,
		.column_count =
			list.is_for_people ? COUNT_OF(people_columns) : COUNT_OF(program_columns),
		.context = &list,
		.cell = waits_cell,
	};
	enum kymo_status status = KYMO_OK;

	if (waits_collect(&list, report)) {
		table.row_count = report_row_count(report, list.count);
		report_write_table(report, &table, "waits", true);
		if (list.count == 0)
			report_write_remark(report, "(nobody was seen waiting)");
		report_remark_rest(report, list.count, "wait");
	} else {
		status = problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	for (size_t i = 0; i < list.owner_count; i++)
		sampled_waits_free(list.owners[i]);
	free(list.owners);
	free(list.entries);
	return status;
}
