/* The base of percentages: the times of the threads' roots, plus what was excluded from them. */
#include "model/profile/time_base.h"

#include <stdio.h>
#include <string.h>

#include "text/quantity.h"

static void time_base_add_thread(struct time_base *base, const struct calltree *tree,
				 uint32_t number)
{
	const struct calltree_node *root = &tree->nodes[tree->thread_root[number]];
	double measuring_ns = tree->thread_measuring_ns ? tree->thread_measuring_ns[number] : 0;

	base->regions_ns += root->sum_ns - root->self_ns;
	base->outside_ns += root->self_ns;
	base->measuring_ns += measuring_ns;
	base->whole_ns += root->sum_ns + measuring_ns;
	base->thread_count++;
}

/* A merged recording merges threads of one name, but stores which they were. */
static size_t more_threads(const struct calltree *tree, size_t found)
{
	size_t count = tree->recording->part_count;

	return count > found ? count - found : 0;
}

static void base_add_tree(struct time_base *base, const struct calltree *tree, uint32_t thread)
{
	size_t before = base->thread_count;

	for (uint32_t k = 0; k < tree->recording->thread_count; k++)
		if (tree->thread_root[k] != CALLTREE_NONE &&
		    (thread == KYMO_NO_THREAD || thread == k))
			time_base_add_thread(base, tree, k);
	if (thread == KYMO_NO_THREAD)
		base->thread_count += more_threads(tree, base->thread_count - before);
}

struct time_base time_base_of(const struct calltree *const *trees, size_t tree_count,
			      uint32_t thread)
{
	struct time_base base = {0};

	for (size_t i = 0; i < tree_count; i++)
		base_add_tree(&base, trees[i], thread);
	return base;
}

static void base_add_part(char text[TIME_BASE_TEXT_MAX], const char *word, double ns)
{
	size_t used = strlen(text);
	char part[QUANTITY_MAX];

	if (ns >= TIME_BASE_LEAST_NS)
		snprintf(text + used, TIME_BASE_TEXT_MAX - used, ", %s %s",
			 quantity_duration(ns * 1e-9, part), word);
}

char *time_base_text(const struct time_base *base, char text[TIME_BASE_TEXT_MAX])
{
	char whole[QUANTITY_MAX], regions[QUANTITY_MAX], threads[QUANTITY_MAX];
	bool is_all =
		base->outside_ns < TIME_BASE_LEAST_NS && base->measuring_ns < TIME_BASE_LEAST_NS;

	snprintf(text, TIME_BASE_TEXT_MAX, "%s of %s thread%s: %s in regions",
		 quantity_duration(base->whole_ns * 1e-9, whole),
		 quantity_count(base->thread_count, threads), base->thread_count == 1 ? "" : "s",
		 is_all ? "all" : quantity_duration(base->regions_ns * 1e-9, regions));
	base_add_part(text, "outside any recorded region", base->outside_ns);
	base_add_part(text, "measuring", base->measuring_ns);
	return text;
}
