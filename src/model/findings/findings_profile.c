/* Findings about the profile: where the time is spent, and why. */
#include "model/findings/findings_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/text/textbuf.h"
#include "model/findings/activity.h"
#include "model/findings/findings_builder.h"
#include "model/findings/hot_path.h"
#include "model/functions/measuring.h"
#include "model/profile/outermost.h"

#define OWN_LINES_MAX	3
#define OWN_LINES_SHARE 0.20 /* of all time: there are at most five such regions */
#define OWN_LINES_SELF	0.50 /* of its own: the rest is in its callees */

#define PATH_ABOVE 0.50 /* of the caller: more than all other callees together */
#define PATH_SHARE 0.30 /* of all time, at its end */
#define PATH_LEAST 3	/* steps: shorter paths are easy to see */
#define PATH_SHOWN 6

#define THROTTLE_FINDINGS_MAX 2
#define THROTTLED_CALLS	      10000
#define OVERHEAD_SHARE_MIN    0.50 /* of its own time: the numbers are mostly overhead */
#define OVERHEAD_RUN_MIN      0.02 /* of all time: it matters */

#define RECURSION_CALLS 0.90 /* of its calls are recursive */
#define RECURSION_SHARE 0.10 /* of all time as self time */
#define HINT_WEIGHT	0.10 /* of that: the possible gain is not known */

#define IMPORT_SHARE	0.10 /* of all time */
#define COLLECTOR_SHARE 0.05

/* The word for the kind of time in the profile. */
static const char *time_word(const struct findings_builder *builder)
{
	return builder->loaded->is_sampled && builder->loaded->weight == SAMPLED_BY_CPU ? "CPU time"
											: "time";
}

/* The self time of an import is the import system's. */
static bool has_lines(const struct region *region)
{
	return finding_is_work(region) && !activity_is_import(region);
}

static void find_own_lines(struct findings_builder *builder)
{
	char name[FINDING_NAME_MAX], part[QUANTITY_MAX], all[QUANTITY_MAX], time[QUANTITY_MAX];
	size_t found = 0;

	flat_view_sort(builder->view, ORDER_SELF);
	for (size_t i = 0; i < builder->view->count && found < OWN_LINES_MAX; i++) {
		const struct flat_entry *entry = &builder->view->entries[i];

		if (entry->self_ns < OWN_LINES_SHARE * builder->whole_ns)
			return;
		if (!has_lines(builder->regions->regions[entry->region]) ||
		    entry->self_ns < OWN_LINES_SELF * entry->total_ns)
			continue;
		finding_add(builder,
			    (struct finding){.kind = "own lines",
					     .view = "butterfly",
					     .region = entry->region,
					     .cost_s = entry->self_ns * 1e-9},
			    "%s spends %s of its %s in its own lines: %s, %s of all.",
			    finding_name(builder, entry->region, name),
			    finding_percent(entry->self_ns, entry->total_ns, part),
			    time_word(builder), quantity_duration(entry->self_ns * 1e-9, time),
			    finding_percent(entry->self_ns, builder->whole_ns, all));
		found++;
	}
}

/* "`main` > `run` > ... > `fib`": its beginning and its end. */
static void profile_write_path(const struct findings_builder *builder, const struct hot_path *path,
			       struct textbuf *text)
{
	char name[FINDING_NAME_MAX];

	for (size_t i = 0; i < path->count; i++) {
		bool is_shown = i < PATH_SHOWN / 2 || i + PATH_SHOWN / 2 >= path->count;

		if (is_shown)
			textbuf_format(text, "%s%s", i ? " > " : "",
				       finding_name(builder, path->steps[i].region, name));
		else if (i == PATH_SHOWN / 2)
			textbuf_text(text, " > ...");
	}
}

static void find_hot_path(struct findings_builder *builder)
{
	struct textbuf text = {0};
	const struct hot_step *last;
	struct hot_path *path;
	char share[QUANTITY_MAX], *way;

	if (hot_path_new(builder->loaded, builder->regions, KYMO_NO_THREAD, PATH_ABOVE, &path) <
	    0) {
		builder->has_failed = true;
		return;
	}
	last = path->count >= PATH_LEAST ? &path->steps[path->count - 1] : NULL;
	if (last && last->total_ns >= PATH_SHARE * path->base.whole_ns &&
	    finding_is_work(builder->regions->regions[last->region])) {
		profile_write_path(builder, path, &text);
		way = textbuf_take(&text);
		finding_add(builder,
			    (struct finding){.kind = "hot path",
					     .view = "hot-path",
					     .region = last->region,
					     .cost_s = last->total_ns * 1e-9},
			    "%s of the %s goes through one path: %s.",
			    finding_percent(last->total_ns, path->base.whole_ns, share),
			    time_word(builder), way ? way : "?");
		free(way);
	}
	hot_path_free(path);
}

/* Nanoseconds that recording one call takes, of the process where it takes longest. */
static double cost_of_call(const struct findings_builder *builder, const struct region *region)
{
	double most_ns = 0;

	for (size_t i = 0; i < builder->loaded->tree_count; i++) {
		const struct kymo_header *header = &builder->loaded->trees[i]->recording->header;
		double ns = 1e-3 * (double)measuring_visit_ps(header, region);

		most_ns = ns > most_ns ? ns : most_ns;
	}
	return most_ns;
}

static void add_throttled(struct findings_builder *builder, const struct flat_entry *entry,
			  double cost_ns)
{
	char name[FINDING_NAME_MAX], calls[QUANTITY_MAX], each[QUANTITY_MAX], cost[QUANTITY_MAX];

	finding_add(builder,
		    (struct finding){.kind = "brief calls",
				     .view = "flat",
				     .region = entry->region,
				     .cost_s = cost_ns * (double)entry->calls * 1e-9},
		    "%s was called %s times for %s each, and measuring one takes about %s: its "
		    "time is unreliable.",
		    finding_name(builder, entry->region, name), quantity_count(entry->calls, calls),
		    quantity_duration(entry->self_ns / (double)entry->calls * 1e-9, each),
		    quantity_duration(cost_ns * 1e-9, cost));
}

static void find_throttled_calls(struct findings_builder *builder)
{
	size_t found = 0;

	flat_view_sort(builder->view, ORDER_CALLS);
	for (size_t i = 0; i < builder->view->count && found < THROTTLE_FINDINGS_MAX; i++) {
		const struct flat_entry *entry = &builder->view->entries[i];
		double cost_ns = cost_of_call(builder, builder->regions->regions[entry->region]);
		double all_ns = cost_ns * (double)entry->calls;

		if (entry->calls < THROTTLED_CALLS)
			return;
		if (all_ns < OVERHEAD_SHARE_MIN * entry->self_ns ||
		    all_ns < OVERHEAD_RUN_MIN * builder->whole_ns)
			continue;
		add_throttled(builder, entry, cost_ns);
		found++;
	}
}

static void find_recursion(struct findings_builder *builder)
{
	char name[FINDING_NAME_MAX], calls[QUANTITY_MAX], outer[QUANTITY_MAX];

	flat_view_sort(builder->view, ORDER_SELF);
	for (size_t i = 0; i < builder->view->count; i++) {
		const struct flat_entry *entry = &builder->view->entries[i];
		uint64_t inner = entry->calls - entry->primitive_calls;

		if (entry->self_ns < RECURSION_SHARE * builder->whole_ns)
			return;
		if ((double)inner < RECURSION_CALLS * (double)entry->calls || inner == 0)
			continue;
		finding_add(builder,
			    (struct finding){.kind = "recursion",
					     .view = "butterfly",
					     .region = entry->region,
					     .cost_s = HINT_WEIGHT * entry->self_ns * 1e-9},
			    "%s calls itself: of %s calls %s come%s from elsewhere.",
			    finding_name(builder, entry->region, name),
			    quantity_count(entry->calls, calls),
			    quantity_count(entry->primitive_calls, outer),
			    entry->primitive_calls == 1 ? "s" : "");
		return;
	}
}

static bool is_module_body(const struct region *region)
{
	return region->kind == KYMO_REGION_PYTHON && strcmp(region->name, "<module>") == 0;
}

static bool is_collector(const struct region *region)
{
	static const char *const names[] = {"gc_collect_main", "gc_collect_region", "gc_collect",
					    "_PyGC_Collect",   "_Py_RunGC",	    "PyGC_Collect"};

	if (region->kind == KYMO_REGION_PYTHON_C)
		return region->module && strcmp(region->module, "gc") == 0 &&
		       strcmp(region->name, "collect") == 0;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (region->kind == KYMO_REGION_NATIVE && strcmp(region->name, names[i]) == 0)
			return true;
	return false;
}

/* Inclusive time of the regions that is_one() accepts, if level of them are open. */
static double time_within(struct findings_builder *builder, const struct calltree *tree,
			  bool (*is_one)(const struct region *region), uint32_t level)
{
	const struct recording *recording = tree->recording;
	uint32_t *keys = calloc((size_t)recording->region_count + 1, sizeof(*keys));
	uint32_t open[2] = {0};
	struct outermost walk = {.keys = keys, .open = open};
	double sum_ns = 0;

	builder->has_failed |= !keys;
	for (uint32_t i = 0; keys && i < recording->region_count; i++)
		keys[i] = is_one(&recording->regions[i]);
	for (uint32_t i = 0; keys && i < recording->thread_count; i++) {
		for (outermost_begin(&walk, tree, tree->thread_root[i]); outermost_next(&walk);)
			sum_ns += walk.key && open[1] == level ? walk.node->sum_ns : 0;
	}
	free(keys);
	return sum_ns;
}

static double profile_time_of(struct findings_builder *builder,
			      bool (*is_one)(const struct region *region), uint32_t level)
{
	double sum_ns = 0;

	for (size_t i = 0; i < builder->loaded->tree_count; i++)
		sum_ns += time_within(builder, builder->loaded->trees[i], is_one, level);
	return sum_ns;
}

/* If no imports were recorded, a module's body that runs inside of another one's counts as one; the
 * outer one is the program. */
static void profile_find_imports(struct findings_builder *builder)
{
	double ns = profile_time_of(builder, activity_is_import, 1);
	char time[QUANTITY_MAX], share[QUANTITY_MAX];

	if (ns <= 0)
		ns = profile_time_of(builder, is_module_body, 2);
	if (ns < IMPORT_SHARE * builder->whole_ns || ns <= 0)
		return;
	finding_add(builder,
		    (struct finding){.kind = "imports",
				     .view = "by-module",
				     .region = FINDING_NO_REGION,
				     .cost_s = ns * 1e-9},
		    "Importing Python modules takes %s, %s of all the %s.",
		    quantity_duration(ns * 1e-9, time),
		    finding_percent(ns, builder->whole_ns, share), time_word(builder));
}

static void find_collector(struct findings_builder *builder)
{
	double ns = profile_time_of(builder, is_collector, 1);
	char time[QUANTITY_MAX], share[QUANTITY_MAX];

	if (ns < COLLECTOR_SHARE * builder->whole_ns || ns <= 0)
		return;
	finding_add(builder,
		    (struct finding){.kind = "garbage",
				     .view = "flat",
				     .region = FINDING_NO_REGION,
				     .cost_s = ns * 1e-9},
		    "Collecting garbage takes %s, %s of all the %s.",
		    quantity_duration(ns * 1e-9, time),
		    finding_percent(ns, builder->whole_ns, share), time_word(builder));
}

void findings_of_profile(struct findings_builder *builder)
{
	if (builder->whole_ns <= 0)
		return;
	find_own_lines(builder);
	find_hot_path(builder);
	profile_find_imports(builder);
	find_collector(builder);
	/* Counts of samples are not calls. */
	if (builder->loaded->is_sampled)
		return;
	find_throttled_calls(builder);
	find_recursion(builder);
}
