/* What the tests of joining share: trees of calls in one thread, each spilled as a run. */
#ifndef KYMO_SPILLED_FIXTURE_H
#define KYMO_SPILLED_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>

#include "merge/inputs/merge_spill.h"

static struct merge_spill spill;
static struct merge_tree tree;

static inline int begin_spill(void **state)
{
	(void)state;
	merge_spill_init(&spill, "/tmp");
	merge_tree_init(&tree);
	return 0;
}

static inline int end_spill(void **state)
{
	(void)state;
	merge_tree_release(&tree);
	merge_spill_release(&spill);
	return 0;
}

static inline uint32_t spilled_region(uint32_t kind, const char *name)
{
	const struct merge_region region = {.kind = kind, .texts = {name}};

	return merge_regions_add(&tree.regions, &region);
}

/* A call path of the thread "main", with so many calls of a length each. */
static inline uint32_t spilled_root(void)
{
	return merge_tree_node(&tree, MERGE_NO_NODE, spilled_region(MERGE_REGION_THREAD, "main"),
			       false);
}

static inline uint32_t spilled_calls(uint32_t parent, const char *name, uint64_t count, uint64_t ns)
{
	uint32_t node =
		merge_tree_node(&tree, parent, spilled_region(KYMO_REGION_PYTHON, name), false);

	tree.nodes[node].values = (struct merge_values){
		count, count, count * ns, ns, ns, (merge_natural)count * ns * ns};
	return node;
}

static inline void spill_now(void)
{
	struct problem problem = {""};
	uint32_t *rank;

	assert_int_equal(merge_spill_tree(&spill, &tree, &rank, &problem), KYMO_OK);
	assert_int_equal(merge_spill_flush(&spill, &problem), KYMO_OK);
	free(rank);
}

#endif
