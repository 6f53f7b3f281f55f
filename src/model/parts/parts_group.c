/* Groups parts by thread, process, rank and run.
 *
 * Parts are sorted so that all of one run, and all of one process in it, are adjacent.  A rank is
 * the same in every run: times of repeated runs add up. */
#include "model/parts/parts_group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/compare/ttest.h"
#include "model/parts/parts_name.h"

static int group_compare_texts(const char *a, const char *b)
{
	if (a == b)
		return 0;
	return a && b ? strcmp(a, b) : a ? 1 : -1;
}

/* Parts without a rank come last. */
static int compare_ranks(int32_t a, int32_t b)
{
	uint32_t first = (uint32_t)a, second = (uint32_t)b;

	return (first > second) - (first < second);
}

static int group_compare_processes(const struct recording_part *a, const struct recording_part *b)
{
	int difference = group_compare_texts(a->run, b->run);

	if (difference == 0)
		difference = compare_ranks(a->rank, b->rank);
	if (difference == 0)
		difference = (a->start_realtime_ns > b->start_realtime_ns) -
			     (a->start_realtime_ns < b->start_realtime_ns);
	if (difference == 0)
		difference = (a->pid > b->pid) - (a->pid < b->pid);
	if (difference == 0)
		difference = memcmp(a->run_id, b->run_id, sizeof(a->run_id));
	return difference != 0 ? difference : group_compare_texts(a->host, b->host);
}

int parts_compare(const struct recording_part *a, const struct recording_part *b)
{
	int difference = group_compare_processes(a, b);

	return difference != 0 ? difference : (a->thread > b->thread) - (a->thread < b->thread);
}

static bool is_new_process(const struct recording_part *part, const struct recording_part *before)
{
	return group_compare_processes(part, before) != 0;
}

static bool is_new_run(const struct recording_part *part, const struct recording_part *before)
{
	return group_compare_texts(part->run, before->run) != 0;
}

static bool is_new_thread(const struct recording_part *part, const struct recording_part *before)
{
	return parts_compare(part, before) != 0;
}

/* A group begins at each part that starts a new one. */
static void group_in_order(const struct parts *parts, struct parts_groups *groups,
			   bool (*is_new)(const struct recording_part *part,
					  const struct recording_part *before))
{
	for (size_t i = 0; i < parts->count; i++) {
		if (i == 0 || is_new(&parts->parts[i], &parts->parts[i - 1]))
			groups->first[groups->count++] = (uint32_t)i;
		groups->of[i] = (uint32_t)(groups->count - 1);
	}
}

struct ranked {
	int32_t rank;
	uint32_t part;
};

static int compare_ranked(const void *left, const void *right)
{
	const struct ranked *a = left, *b = right;
	int difference = compare_ranks(a->rank, b->rank);

	return difference != 0 ? difference : (a->part > b->part) - (a->part < b->part);
}

static bool group_ranks(struct parts *parts, struct parts_groups *groups)
{
	struct ranked *ranked = calloc(parts->count + 1, sizeof(*ranked));

	if (!ranked)
		return false;
	for (size_t i = 0; i < parts->count; i++)
		ranked[i] = (struct ranked){parts->parts[i].rank, (uint32_t)i};
	if (parts->count > 0)
		qsort(ranked, parts->count, sizeof(*ranked), compare_ranked);
	for (size_t i = 0; i < parts->count; i++) {
		if (i == 0 || ranked[i].rank != ranked[i - 1].rank) {
			groups->first[groups->count++] = ranked[i].part;
			parts->rank_count += ranked[i].rank >= 0;
		}
		groups->of[ranked[i].part] = (uint32_t)(groups->count - 1);
	}
	free(ranked);
	return true;
}

bool parts_make_groups(struct parts *parts)
{
	struct parts_groups *groups = parts->groups;

	for (int by = 0; by < PARTS_BY_COUNT; by++) {
		groups[by].of = calloc(parts->count + 1, sizeof(*groups->of));
		groups[by].first = calloc(parts->count + 1, sizeof(*groups->first));
		if (!groups[by].of || !groups[by].first)
			return false;
	}
	group_in_order(parts, &groups[PARTS_BY_THREAD], is_new_thread);
	group_in_order(parts, &groups[PARTS_BY_PROCESS], is_new_process);
	group_in_order(parts, &groups[PARTS_BY_RUN], is_new_run);
	parts->process_count = groups[PARTS_BY_PROCESS].count;
	parts->run_count = groups[PARTS_BY_RUN].count;
	parts_resolve_names(parts);
	if (!group_ranks(parts, &groups[PARTS_BY_RANK]))
		return false;
	for (int by = 0; by < PARTS_BY_COUNT; by++)
		groups[by].student = student_quantile(
			0.975, (double)parts_usual_count(parts, (enum parts_by)by) - 1);
	return true;
}

size_t parts_usual_count(const struct parts *parts, enum parts_by by)
{
	return by == PARTS_BY_RANK && parts->rank_count > 0 ? parts->rank_count
							    : parts->groups[by].count;
}

size_t parts_group(const struct parts *parts, enum parts_by by, size_t part)
{
	return parts->groups[by].of[part];
}

size_t parts_group_count(const struct parts *parts, enum parts_by by)
{
	return parts->groups[by].count;
}

enum parts_by parts_by_default(const struct parts *parts)
{
	if (parts->rank_count > 1)
		return PARTS_BY_RANK;
	if (parts->run_count > 1 && parts->process_count == parts->run_count)
		return PARTS_BY_RUN;
	return parts->process_count > 1 ? PARTS_BY_PROCESS : PARTS_BY_THREAD;
}
