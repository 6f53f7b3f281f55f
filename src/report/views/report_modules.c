/* One row a module: what a package or a library took, with all that it called. */
#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "model/profile/module_table.h"
#include "model/profile/name_filter.h"
#include "model/profile/outermost.h"
#include "report/views/report_text.h"

static const struct table_column columns[] = {
	{"% SELF", "self_percent", TABLE_PERCENT, 1, 0, false},
	{"SELF", "self", TABLE_DURATION, 0, 0, false},
	{"TOTAL", "total", TABLE_DURATION, 0, 0, false},
	{"% TOTAL", "total_percent", TABLE_PERCENT, 1, 0, false},
	{"CALLS", "calls", TABLE_COUNT, 0, 0, false},
	{"FUNCTIONS", "functions", TABLE_COUNT, 0, 0, false},
	{"MODULE", "module", TABLE_TEXT, 0, 0, false},
};

struct entry {
	const char *name;
	double self_ns, total_ns;
	uint64_t calls, functions;
	bool is_rest; /* of what is no region */
};

struct list {
	struct entry *entries;	  /* per module while they are added up */
	size_t count;		  /* with the rest, which is last */
	size_t rest_count, shown; /* shown: rows of modules */
	bool is_for_people;
	struct time_base base;
	enum view_order order;
};

static struct table_cell modules_percent_cell(const struct list *list, double ns)
{
	return (struct table_cell){.number = time_base_percent(&list->base, ns)};
}

static struct table_cell modules_cell(void *context, size_t row, unsigned int column)
{
	const struct list *list = context;
	const struct entry *entry =
		&list->entries[row < list->shown
				       ? row
				       : list->count - list->rest_count + row - list->shown];
	bool is_rest = entry->is_rest && list->is_for_people;

	switch (column) {
	case 0:
		return modules_percent_cell(list, entry->self_ns);
	case 1:
		return (struct table_cell){.number = entry->self_ns * 1e-9};
	case 2:
		return (struct table_cell){.number = entry->total_ns * 1e-9};
	case 3:
		return modules_percent_cell(list, entry->total_ns);
	case 4:
		return (struct table_cell){.is_missing = is_rest, .count = entry->calls};
	case 5:
		return (struct table_cell){.is_missing = is_rest, .count = entry->functions};
	default:
		return (struct table_cell){.text = entry->name};
	}
}

struct adder {
	struct list *list;
	const struct module_table *modules;
	const struct region_union *regions;
	bool *is_met;	/* per region of the union */
	uint32_t *open; /* per module */
};

static void modules_add_node(struct adder *adder, size_t tree, const struct outermost *walk)
{
	struct entry *entry = &adder->list->entries[walk->key];
	uint32_t region = region_union_number(adder->regions, tree, walk->node->region);

	entry->functions += !adder->is_met[region];
	adder->is_met[region] = true;
	entry->calls += walk->node->count;
	entry->self_ns += walk->node->self_ns;
	entry->total_ns += walk->is_outermost ? walk->node->sum_ns : 0;
}

/* Of every region of one recording its module; NULL = no memory. */
static uint32_t *keys_of(const struct adder *adder, size_t index)
{
	uint32_t count = adder->regions->region_counts[index];
	uint32_t *keys = calloc((size_t)count + 1, sizeof(*keys));

	for (uint32_t i = 0; keys && i < count; i++)
		keys[i] = adder->modules->of[region_union_number(adder->regions, index, i)];
	return keys;
}

static bool modules_add_tree(struct adder *adder, const struct report *report, size_t index)
{
	const struct calltree *tree = report->loaded->trees[index];
	uint32_t *keys = keys_of(adder, index);
	struct outermost walk = {.keys = keys, .open = adder->open};

	if (!keys)
		return false;
	for (uint32_t i = 0; i < tree->recording->thread_count; i++) {
		if (report->options.thread != KYMO_NO_THREAD && report->options.thread != i)
			continue;
		for (outermost_begin(&walk, tree, tree->thread_root[i]); outermost_next(&walk);)
			modules_add_node(adder, index, &walk);
	}
	free(keys);
	return true;
}

static void modules_add_rest(const struct adder *adder, uint32_t region, double ns)
{
	struct entry *entry = &adder->list->entries[adder->modules->of[region]];

	if (ns < TIME_BASE_LEAST_NS)
		return;
	entry->is_rest = true;
	entry->self_ns = entry->total_ns = ns;
}

static bool modules_add_up(const struct report *report, const struct module_table *modules,
			   struct list *list)
{
	struct adder adder = {
		.list = list,
		.modules = modules,
		.regions = report->regions,
		.is_met = calloc((size_t)report->regions->count + 1, sizeof(bool)),
		.open = calloc((size_t)modules->count + 1, sizeof(uint32_t)),
	};
	bool is_complete;

	list->entries = calloc((size_t)modules->count + 1, sizeof(*list->entries));
	is_complete = adder.is_met && adder.open && list->entries;
	for (uint32_t i = 0; is_complete && i < modules->count; i++)
		list->entries[i].name = modules->names[i];
	list->count = is_complete ? modules->count : 0;
	for (size_t i = 0; is_complete && i < report->loaded->tree_count; i++)
		is_complete = modules_add_tree(&adder, report, i);
	if (is_complete) {
		list->base = time_base_of(report->loaded->trees, report->loaded->tree_count,
					  report->options.thread);
		modules_add_rest(&adder, report->regions->outside, list->base.outside_ns);
		modules_add_rest(&adder, report->regions->measuring, list->base.measuring_ns);
	}
	free(adder.is_met);
	free(adder.open);
	return is_complete;
}

static double modules_order_key(const struct entry *entry, enum view_order order)
{
	switch (order) {
	case ORDER_TOTAL:
		return entry->total_ns;
	case ORDER_CALLS:
		return (double)entry->calls;
	case ORDER_MEAN:
		return entry->calls ? entry->total_ns / (double)entry->calls : 0;
	case ORDER_NAME:
		return 0;
	case ORDER_SELF:
	case ORDER_MIN:
	case ORDER_MAX:
		break;
	}
	return entry->self_ns;
}

static int modules_compare(const void *left, const void *right, void *context)
{
	const struct list *list = context;
	const struct entry *a = left, *b = right;
	double first = modules_order_key(a, list->order),
	       second = modules_order_key(b, list->order);

	if (a->is_rest != b->is_rest)
		return a->is_rest ? 1 : -1;
	if (first != second)
		return first < second ? 1 : -1;
	return strcmp(a->name, b->name);
}

static void modules_keep(struct list *list, const struct name_filter *filter)
{
	size_t kept = 0;

	list->rest_count = 0;
	for (size_t i = 0; i < list->count; i++) {
		const struct entry *entry = &list->entries[i];

		if ((entry->functions == 0 && !entry->is_rest) ||
		    !name_filter_accepts_text(filter, entry->name))
			continue;
		list->rest_count += entry->is_rest;
		list->entries[kept++] = *entry;
	}
	list->count = kept;
	if (kept > 0)
		qsort_r(list->entries, kept, sizeof(*list->entries), modules_compare, list);
}

static void report_modules_write(const struct report *report, struct list *list)
{
	size_t modules = list->count - list->rest_count;
	struct table table = {
		.columns = columns,
		.column_count = sizeof(columns) / sizeof(*columns),
		.row_count = report_row_count(report, modules) + list->rest_count,
		.context = list,
		.cell = modules_cell,
	};

	list->shown = report_row_count(report, modules);
	report_write_table(report, &table, "modules", true);
	report_remark_empty(report, list->count, list->rest_count, "module");
	report_remark_rest(report, modules, "module");
}

enum kymo_status report_modules(const struct report *report, struct problem *problem)
{
	struct list list = {
		.order = report->options.order,
		.is_for_people = report_form_is_for_people(report->options.form),
	};
	struct module_table *modules = NULL;
	struct name_filter filter;
	enum kymo_status status = name_filter_init(&filter, report->options.filter, problem);

	if (status < 0)
		return status;
	status = module_table_new(report->regions, &modules);
	if (status == KYMO_OK && !modules_add_up(report, modules, &list))
		status = KYMO_MEMORY;
	if (status == KYMO_OK) {
		modules_keep(&list, &filter);
		report_modules_write(report, &list);
	} else {
		problem_set(problem, status, "out of memory");
	}
	free(list.entries);
	module_table_free(modules);
	name_filter_release(&filter);
	return status;
}
