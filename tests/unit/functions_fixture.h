/* A synthetic recording of instrumented functions, and the nodes of its call tree by their
 * paths.  Include cmocka.h before. */
#ifndef KYMO_FUNCTIONS_FIXTURE_H
#define KYMO_FUNCTIONS_FIXTURE_H

#include "model/functions/functions.h"
#include "model/recording/recording_open.h"
#include "model/tree/calltree.h"
#include "synthetic_functions.h"

#define FIRST_ID 16u

struct fixture {
	struct synthetic *synthetic;
	struct function_events_bytes pairs; /* where enters and exits are recorded */
	struct recording *recording;
	struct calltree *tree;
	uint32_t thread;
};

static inline void fixture_free(struct fixture *fixture)
{
	calltree_free(fixture->tree);
	recording_free(fixture->recording);
	synthetic_free(fixture->synthetic);
}

static inline uint32_t region_of(const struct fixture *fixture, uint32_t function)
{
	return fixture->recording->functions->items[FIRST_ID + function].region;
}

/* The node at the end of a path of functions, closed by a negative one; NULL = none. */
static inline const struct calltree_node *at(const struct fixture *fixture, const int *path)
{
	const struct calltree *tree = fixture->tree;
	uint32_t index = tree->thread_root[fixture->thread];

	for (; *path >= 0; path++) {
		uint32_t child = tree->nodes[index].first_child;

		while (child != CALLTREE_NONE &&
		       tree->nodes[child].region != region_of(fixture, (uint32_t)*path))
			child = tree->nodes[child].next_sibling;
		if (child == CALLTREE_NONE)
			return NULL;
		index = child;
	}
	return &tree->nodes[index];
}

#define AT(fixture, ...) at(fixture, (const int[]){__VA_ARGS__, -1})

#endif
