/* What the tests of call trees share: recordings made by hand, and trees as text. */
#ifndef KYMO_CALLTREE_FIXTURE_H
#define KYMO_CALLTREE_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/tree/calltree.h"
#include "model/recording/recording_open.h"
#include "synthetic.h"

struct fixture {
	struct synthetic *synthetic;
	uint32_t f, g, h, thread;
	struct recording *recording;
	struct calltree *tree;
};

static inline struct fixture fixture_new(uint32_t flags)
{
	struct fixture fixture = {.synthetic = synthetic_new(flags)};

	fixture.f = synthetic_region(fixture.synthetic, KYMO_REGION_PYTHON, "f");
	fixture.g = synthetic_region(fixture.synthetic, KYMO_REGION_PYTHON, "g");
	fixture.h = synthetic_region(fixture.synthetic, KYMO_REGION_PYTHON_C, "h");
	fixture.thread = synthetic_thread(fixture.synthetic, KYMO_NO_THREAD, "main", 0);
	return fixture;
}

static inline void fixture_load(struct fixture *fixture)
{
	struct problem problem = {""};

	fixture->recording = synthetic_open(fixture->synthetic);
	if (calltree_new(fixture->recording, &fixture->tree, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
}

static inline void fixture_free(struct fixture *fixture)
{
	calltree_free(fixture->tree);
	recording_free(fixture->recording);
	synthetic_free(fixture->synthetic);
}

/* The node at the end of a path of regions (closed by 0) from a thread's root; the last
 * child of that region wins, so that a path made twice would be found twice. */
static inline const struct calltree_node *at(const struct fixture *fixture, uint32_t thread,
					     uint32_t first, uint32_t second)
{
	const struct calltree *tree = fixture->tree;
	uint32_t index = tree->thread_root[thread];
	const uint32_t path[] = {first, second};

	assert_int_not_equal(index, CALLTREE_NONE);
	for (size_t i = 0; i < 2 && path[i]; i++) {
		uint32_t child = tree->nodes[index].first_child;

		while (child != CALLTREE_NONE && tree->nodes[child].region != path[i])
			child = tree->nodes[child].next_sibling;
		if (child == CALLTREE_NONE)
			return NULL;
		index = child;
	}
	return &tree->nodes[index];
}

static inline void enter(struct fixture *fixture, uint32_t region, uint64_t time)
{
	synthetic_enter(fixture->synthetic, fixture->thread, region, time);
}

static inline void leave(struct fixture *fixture, uint32_t region, uint64_t time)
{
	synthetic_leave(fixture->synthetic, fixture->thread, region, time);
}

/* Both ways of recording must come to the same. */
static const uint32_t both_ways[] = {KYMO_HEADER_PROFILE, KYMO_HEADER_TRACE};

#endif
