/* One row per module: the time of a package or library, including its callees. */
#include "report/report.h"

#include "command/xalloc.h"
#include "model/profile/module_table.h"
#include "model/profile/name_filter.h"
#include "model/profile/outermost.h"
#include "report/tables/table_get.h"
#include "report/views/report_text.h"

struct entry {
	const char *name;
	double self_ns, total_ns;
	uint64_t calls, functions;
	bool is_rest; /* time outside regions */
};

struct list {
	struct entry *entries; /* per module while they are added up */
	size_t count, rest_count;
	struct time_base base;
};

/* The member as a part of all time. */
static struct table_cell modules_percent(const struct table_item *item)
{
	const struct list *list = item->view;
	const double *part = table_member(item);

	return (struct table_cell){.number = time_base_percent(&list->base, *part)};
}

/* For people: time outside regions has no calls. */
static struct table_cell modules_count(const struct table_item *item)
{
	struct table_cell cell = table_get_count(item);

	cell.is_missing = ((const struct entry *)item->row)->is_rest;
	return cell;
}

static struct table_cell modules_mean(const struct table_item *item)
{
	const struct entry *entry = item->row;

	return table_ns(entry->calls ? entry->total_ns / (double)entry->calls : 0);
}

#define MODULES_FIELD(member) TABLE_FIELD(struct entry, member)
#define MODULES_PART(member)  TABLE_MEMBER(modules_percent, struct entry, member)
#define MODULES_PEOPLE(member)                                                                     \
	TABLE_COUNT, TABLE_PEOPLE, TABLE_MEMBER(modules_count, struct entry, member)

static const struct table_column columns[] = {
	{"% SELF", "self_percent", TABLE_PERCENT, TABLE_ALL, MODULES_PART(self_ns)},
	{"SELF", "self", TABLE_DURATION, TABLE_ALL, MODULES_FIELD(self_ns)},
	{"TOTAL", "total", TABLE_DURATION, TABLE_ALL, MODULES_FIELD(total_ns)},
	{"% TOTAL", "total_percent", TABLE_PERCENT, TABLE_ALL, MODULES_PART(total_ns)},
	{"CALLS", "calls", MODULES_PEOPLE(calls)},
	{"CALLS", "calls", TABLE_COUNT, TABLE_PROGRAMS, MODULES_FIELD(calls)},
	{"FUNCTIONS", "functions", MODULES_PEOPLE(functions)},
	{"FUNCTIONS", "functions", TABLE_COUNT, TABLE_PROGRAMS, MODULES_FIELD(functions)},
	{"MODULE", "module", TABLE_TEXT, TABLE_ALL, MODULES_FIELD(name)},
	{"", "rest", TABLE_ID, TABLE_HIDDEN, MODULES_FIELD(is_rest)},
	{"", "mean", TABLE_DURATION, TABLE_HIDDEN, .get = modules_mean},
};

/* A module has no shortest call. */
static const char *const modules_orders[] = {
	[ORDER_TOTAL] = "total", [ORDER_SELF] = "self", [ORDER_CALLS] = "calls",
	[ORDER_NAME] = "module", [ORDER_MIN] = "self",	[ORDER_MAX] = "self",
	[ORDER_MEAN] = "mean",
};

struct adder {
	struct list *list;
	const struct module_table *modules;
	const struct region_union *regions;
	bool *is_seen;	/* per region of the union */
	uint32_t *open; /* per module */
};

static void modules_add_node(struct adder *adder, size_t tree, const struct outermost *walk)
{
	struct entry *entry = &adder->list->entries[walk->key];
	uint32_t region = region_union_number(adder->regions, tree, walk->node->region);

	entry->functions += !adder->is_seen[region];
	adder->is_seen[region] = true;
	entry->calls += walk->node->count;
	entry->self_ns += walk->node->self_ns;
	entry->total_ns += walk->is_outermost ? walk->node->sum_ns : 0;
}

/* The module of every region of one recording. */
static uint32_t *keys_of(const struct adder *adder, size_t index)
{
	uint32_t count = adder->regions->region_counts[index];
	uint32_t *keys = xcalloc((size_t)count + 1, sizeof(*keys));

	for (uint32_t i = 0; i < count; i++)
		keys[i] = adder->modules->of[region_union_number(adder->regions, index, i)];
	return keys;
}

static void modules_add_tree(struct adder *adder, const struct report *report, size_t index)
{
	const struct calltree *tree = report->loaded->trees[index];
	uint32_t *keys = keys_of(adder, index);
	struct outermost walk = {.keys = keys, .open = adder->open};

	for (uint32_t i = 0; i < tree->recording->thread_count; i++) {
		if (report->options.thread != KYMO_NO_THREAD && report->options.thread != i)
			continue;
		for (outermost_begin(&walk, tree, tree->thread_root[i]); outermost_next(&walk);)
			modules_add_node(adder, index, &walk);
	}
	xfree(keys);
}

static void modules_add_rest(const struct adder *adder, uint32_t region, double ns)
{
	struct entry *entry = &adder->list->entries[adder->modules->of[region]];

	if (ns < TIME_BASE_LEAST_NS)
		return;
	entry->is_rest = true;
	entry->self_ns = entry->total_ns = ns;
}

static void modules_add_up(const struct report *report, const struct module_table *modules,
			   struct list *list)
{
	struct adder adder = {
		.list = list,
		.modules = modules,
		.regions = report->regions,
		.is_seen = xcalloc((size_t)report->regions->count + 1, sizeof(bool)),
		.open = xcalloc((size_t)modules->count + 1, sizeof(uint32_t)),
	};

	list->entries = xcalloc((size_t)modules->count + 1, sizeof(*list->entries));
	for (uint32_t i = 0; i < modules->count; i++)
		list->entries[i].name = modules->names[i];
	list->count = modules->count;
	for (size_t i = 0; i < report->loaded->tree_count; i++)
		modules_add_tree(&adder, report, i);
	list->base = time_base_of(report->loaded->trees, report->loaded->tree_count,
				  report->options.thread);
	modules_add_rest(&adder, report->regions->outside, list->base.outside_ns);
	modules_add_rest(&adder, report->regions->measuring, list->base.measuring_ns);
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
}

static void report_modules_write(const struct report *report, struct list *list)
{
	const char *const keys[] = {"rest", modules_orders[report->options.order], "module", NULL};
	size_t modules = list->count - list->rest_count;
	struct table table = {
		TABLE_COLUMNS(columns),
		TABLE_ROWS(list->entries, list->count),
		.view = list,
	};

	report_write_ordered(report, &table, keys, list->rest_count, "modules");
	report_remark_empty(report, list->count, list->rest_count, "module");
	report_remark_rest(report, modules, "module");
}

enum kymo_status report_modules(const struct report *report, struct problem *problem)
{
	struct list list = {0};
	struct module_table *modules;
	struct name_filter filter;
	enum kymo_status status = name_filter_init(&filter, report->options.filter, problem);

	if (status < 0)
		return status;
	xneed(module_table_new(report->regions, &modules) == KYMO_OK);
	modules_add_up(report, modules, &list);
	modules_keep(&list, &filter);
	report_modules_write(report, &list);
	module_table_free(modules);
	name_filter_release(&filter);
	return KYMO_OK;
}
