/* Evaluates conditions: on which regions they hold, by how much, and whether it may be chance. */
#include "model/compare/diff_findings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "format/metric.h"
#include "model/compare/diff_condition.h"
#include "model/compare/diff_make.h"
#include "model/compare/diff_metric.h"
#include "model/profile/name_filter.h"

struct finder {
	const struct diff *diff;
	struct diff_findings *found;
	size_t capacity;
	const struct diff_condition *condition;
	struct diff_metric *metric; /* of the current condition; NULL = it has a measure */
};

static bool is_run(const struct diff_condition *condition)
{
	return condition->region_length == 3 && strncmp(condition->region, "run", 3) == 0;
}

/* All regions by their names on either side: first as before, then as after. */
static struct region_union names_of(const struct diff *diff, const struct region **regions)
{
	for (uint32_t i = 0; i < diff->region_count; i++) {
		const struct diff_region *region = &diff->regions[i];
		const struct region *shown = diff_region_shown(region);

		regions[i] = region->region[DIFF_BEFORE] ? region->region[DIFF_BEFORE] : shown;
		regions[diff->region_count + i] = shown;
	}
	return (struct region_union){.regions = regions, .count = 2 * diff->region_count};
}

static enum kymo_status match_expression(const struct region_union *names, char *expression,
					 bool **marks_out, struct problem *problem)
{
	bool *marks = calloc(names->count + (size_t)1, sizeof(*marks)), is_found = false;
	struct name_filter filter;
	enum kymo_status status;

	expression[strlen(expression) - 1] = '\0';
	status = marks ? name_filter_init(&filter, expression + 1, problem)
		       : problem_set(problem, KYMO_MEMORY, "out of memory");
	if (status < 0) {
		free(marks);
		return status;
	}
	for (uint32_t i = 0; i < names->count; i++) {
		marks[i] = name_filter_accepts(&filter, names->regions[i]);
		is_found |= marks[i];
	}
	name_filter_release(&filter);
	*marks_out = marks;
	if (is_found)
		return KYMO_OK;
	free(marks);
	return problem_set(problem, KYMO_USAGE, "neither side has a region that matches /%s/",
			   expression + 1);
}

static enum kymo_status no_such_region(const struct region_union *names, const char *name,
				       struct problem *problem)
{
	const char *best = name_nearest(names, name);

	if (best)
		return problem_set(problem, KYMO_USAGE,
				   "neither side has a region '%s'; did you mean '%s'?", name,
				   best);
	return problem_set(problem, KYMO_USAGE,
			   "neither side has a region '%s'; 'kymo diff --top 0' lists what differs",
			   name);
}

/* "helper" is not "other.<locals>.helper" if a region has exactly that name. */
static void prefer_whole_names(const struct region_union *names, const char *name, bool *marks)
{
	char text[256];
	bool is_found = false;

	for (int pass = 0; pass < 2; pass++) {
		for (uint32_t i = 0; i < names->count; i++) {
			if (!marks[i])
				continue;
			region_name(names->regions[i], text, sizeof(text));
			if (pass == 0)
				is_found |= strcmp(text, name) == 0;
			else
				marks[i] = !is_found || strcmp(text, name) == 0;
		}
	}
}

static enum kymo_status match_names(const struct region_union *names, char *pattern,
				    bool **marks_out, struct problem *problem)
{
	size_t length = strlen(pattern);
	enum kymo_status status;

	if (length > 2 && pattern[0] == '/' && pattern[length - 1] == '/')
		return match_expression(names, pattern, marks_out, problem);
	status = name_find(names, pattern, marks_out, problem);
	if (status == KYMO_USAGE)
		return no_such_region(names, pattern, problem);
	if (status == KYMO_OK)
		prefer_whole_names(names, pattern, *marks_out);
	return status;
}

/* Marks per region of the diff; the caller frees. */
static enum kymo_status findings_match_regions(const struct finder *finder, bool **marks_out,
					       struct problem *problem)
{
	const struct diff *diff = finder->diff;
	const struct region **regions =
		calloc(2 * (size_t)diff->region_count + 1, sizeof(*regions));
	char *pattern = strndup(finder->condition->region, finder->condition->region_length);
	enum kymo_status status = KYMO_MEMORY;
	struct region_union names;

	if (regions && pattern) {
		names = names_of(diff, regions);
		status = match_names(&names, pattern, marks_out, problem);
	} else {
		problem_set(problem, status, "out of memory");
	}
	for (uint32_t i = 0; status == KYMO_OK && i < diff->region_count; i++)
		(*marks_out)[i] |= (*marks_out)[diff->region_count + i];
	free(regions);
	free(pattern);
	return status;
}

/* The value that is compared with the condition's. */
static double findings_measured(const struct diff_finding *finding)
{
	switch (finding->condition->quantity) {
	case QUANTITY_PERCENT:
		return diff_percent(finding->before, finding->after);
	case QUANTITY_RATIO:
		return finding->before == finding->after ? 1
		       : finding->before > 0		 ? finding->after / finding->before
							 : INFINITY;
	case QUANTITY_DIFFERENCE:
		break;
	}
	return finding->after - finding->before;
}

/* How far beyond the value; not above 0: the condition does not hold. */
static double excess(const struct diff_finding *finding)
{
	double distance = findings_measured(finding) - finding->condition->value;

	return finding->condition->is_above ? distance : -distance;
}

static bool add_finding(struct finder *finder, const struct diff_region *region,
			const struct moments *before, const struct moments *after, double p,
			bool is_exact)
{
	struct diff_findings *found = finder->found;
	struct diff_finding *grown = array_grow(found->findings, &finder->capacity,
						found->count + 1, sizeof(*grown)),
			    *finding;
	double beyond;

	if (!grown)
		return false;
	found->findings = grown;
	finding = &grown[found->count++];
	*finding = (struct diff_finding){
		.condition = finder->condition,
		.region = region,
		.before = before->mean,
		.after = after->mean,
		.p = p,
		.is_exact = is_exact,
		.may_be_none = region && finder->condition->has_measure &&
			       diff_may_be_none(region, finder->condition->measure),
	};
	beyond = excess(finding);
	finding->holds = beyond > 0 || (finder->condition->is_or_equal && beyond == 0);
	return true;
}

/* Times, rates and scheduling vary; memory and other counts hardly do. */
static bool findings_is_exact(const struct finder *finder)
{
	const struct metric_info *info;

	if (finder->condition->has_measure)
		return diff_is_exact(finder->diff, finder->condition->measure);
	info = metric_info((enum kymo_metric)finder->condition->metric);
	return info && strcmp(info->unit, "ns") != 0 && strcmp(info->unit, "%") != 0 &&
	       info->metric != KYMO_METRIC_VOLUNTARY_CONTEXT_SWITCH &&
	       info->metric != KYMO_METRIC_PRIORITY_CONTEXT_SWITCH;
}

static bool find_in_run(struct finder *finder)
{
	const struct diff_runs *before = &finder->diff->side[DIFF_BEFORE];
	const struct diff_runs *after = &finder->diff->side[DIFF_AFTER];
	const struct moments *first = &before->duration, *second = &after->duration;

	if (finder->metric) {
		first = &finder->metric->run[DIFF_BEFORE];
		second = &finder->metric->run[DIFF_AFTER];
	} else if (finder->condition->measure == DIFF_SELF) {
		first = &before->self;
		second = &after->self;
	} else if (finder->condition->measure == DIFF_COUNT) {
		first = &before->count;
		second = &after->count;
	}
	return add_finding(finder, NULL, first, second, welch_test(first, second).p,
			   findings_is_exact(finder));
}

static bool find_in_region(struct finder *finder, uint32_t index)
{
	const struct diff_region *region = &finder->diff->regions[index];
	enum diff_measure measure = finder->condition->measure;
	const struct moments *moments, *first, *second;

	if (finder->metric) {
		first = &finder->metric->regions[DIFF_BEFORE][index];
		second = &finder->metric->regions[DIFF_AFTER][index];
		return add_finding(finder, region, first, second, welch_test(first, second).p,
				   findings_is_exact(finder));
	}
	moments = diff_moments(region, measure);
	return add_finding(finder, region, &moments[DIFF_BEFORE], &moments[DIFF_AFTER],
			   diff_chance(finder->diff, region, measure), findings_is_exact(finder));
}

static enum kymo_status find_regions(struct finder *finder, struct problem *problem)
{
	bool *marks = NULL, is_complete = true;
	enum kymo_status status;

	if (is_run(finder->condition)) {
		is_complete = find_in_run(finder);
		status = KYMO_OK;
	} else {
		status = findings_match_regions(finder, &marks, problem);
	}
	for (uint32_t i = 0; marks && status == KYMO_OK && i < finder->diff->region_count; i++)
		is_complete = is_complete && (!marks[i] || find_in_region(finder, i));
	free(status == KYMO_OK ? marks : NULL);
	return is_complete ? status : problem_set(problem, KYMO_MEMORY, "out of memory");
}

static enum kymo_status find_condition(struct finder *finder, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;

	finder->metric = NULL;
	if (!finder->condition->has_measure)
		status = diff_metric_new(finder->diff, finder->condition->metric, &finder->metric,
					 problem);
	if (status == KYMO_OK)
		status = find_regions(finder, problem);
	diff_metric_free(finder->metric);
	return status;
}

static bool correct(struct diff_findings *found)
{
	double *chances = calloc(found->count + 1, sizeof(*chances));
	bool is_complete;

	if (!chances)
		return false;
	for (size_t i = 0; i < found->count; i++)
		chances[i] = found->findings[i].p;
	is_complete = chances_correct_holm(chances, found->count);
	for (size_t i = 0; is_complete && i < found->count; i++)
		found->findings[i].p_corrected = chances[i];
	free(chances);
	return is_complete;
}

static int compare_findings(const void *left, const void *right)
{
	const struct diff_finding *a = left, *b = right;
	double first, second;

	if (a->condition != b->condition)
		return a->condition < b->condition ? -1 : 1;
	if (a->is_failure != b->is_failure)
		return a->is_failure ? -1 : 1;
	if (a->is_undecided != b->is_undecided)
		return a->is_undecided ? -1 : 1;
	first = excess(a);
	second = excess(b);
	if (first != second)
		return first > second ? -1 : 1;
	return a->region < b->region ? -1 : a->region > b->region;
}

/* Samples of a single pair of runs only show which differences are undecided. */
static void decide(struct diff_findings *found, bool has_repeats, bool is_any)
{
	for (size_t i = 0; i < found->count; i++) {
		struct diff_finding *finding = &found->findings[i];
		bool is_tested = !isnan(finding->p);
		bool is_chance = is_tested && !(finding->p_corrected < DIFF_SURE);
		bool is_decided = finding->is_exact || finding->before == finding->after ||
				  (is_tested && has_repeats && !finding->may_be_none);

		finding->is_failure = finding->holds && (is_any || (is_decided && !is_chance));
		finding->is_undecided =
			finding->holds && !finding->is_failure && !is_decided && !is_chance;
		found->has_failed |= finding->is_failure;
	}
	if (found->count)
		qsort(found->findings, found->count, sizeof(*found->findings), compare_findings);
}

enum kymo_status diff_findings_new(const struct diff *diff, const struct diff_condition *conditions,
				   size_t count, bool is_any, struct diff_findings **out,
				   struct problem *problem)
{
	struct diff_findings *found = calloc(1, sizeof(*found));
	struct finder finder = {.diff = diff, .found = found};
	enum kymo_status status =
		found ? KYMO_OK : problem_set(problem, KYMO_MEMORY, "out of memory");

	for (size_t i = 0; status == KYMO_OK && i < count; i++) {
		finder.condition = &conditions[i];
		status = find_condition(&finder, problem);
	}
	if (status == KYMO_OK && !correct(found))
		status = problem_set(problem, KYMO_MEMORY, "out of memory");
	if (status == KYMO_OK) {
		decide(found, diff->has_repeats, is_any);
		*out = found;
	} else {
		diff_findings_free(found);
	}
	return status;
}

void diff_findings_free(struct diff_findings *findings)
{
	if (!findings)
		return;
	free(findings->findings);
	free(findings);
}
