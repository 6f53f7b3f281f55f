/* Call paths from traces. */
#include "model/tree/calltree.h"

#include "calltree_fixture.h"
#include "model/recording/recording_open.h"

/* A trace alone has root nodes as well; they are not the tree. */
static void test_trace_with_bare_roots_is_replayed(void **state)
{
	struct fixture fixture = fixture_new(KYMO_HEADER_PROFILE | KYMO_HEADER_TRACE);

	(void)state;
	synthetic_header(fixture.synthetic)->flags = KYMO_HEADER_TRACE;
	enter(&fixture, fixture.f, 100);
	leave(&fixture, fixture.f, 200);
	fixture_load(&fixture);
	assert_true(fixture.tree->is_replayed);
	assert_true(at(&fixture, 0, fixture.f, 0)->sum_ns == 100);
	fixture_free(&fixture);
}

/* A program of random calls in several threads, at random times. */
static void play(struct synthetic *synthetic, unsigned short seed[3], uint32_t regions,
		 uint32_t threads)
{
	uint32_t stacks[4][64];
	uint32_t depths[4] = {0};
	uint64_t time = 0;

	for (int step = 0; step < 3000; step++) {
		uint32_t thread = (uint32_t)nrand48(seed) % threads;
		uint32_t *depth = &depths[thread];

		time += (uint64_t)nrand48(seed) % 50;
		if (*depth < 64 && nrand48(seed) % 2) {
			stacks[thread][*depth] = 1 + (uint32_t)nrand48(seed) % regions;
			synthetic_enter(synthetic, thread, stacks[thread][(*depth)++], time);
		} else if (*depth > 0) {
			synthetic_leave(synthetic, thread, stacks[thread][--*depth], time);
		}
	}
}

static void check_tree(const struct calltree *tree)
{
	double *self = calloc(tree->recording->thread_count, sizeof(*self));
	uint64_t calls = 0;

	assert_non_null(self);
	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];

		assert_true(node->self_ns >= 0 && node->self_ns <= node->sum_ns);
		self[node->thread] += node->self_ns;
		if (node->parent == CALLTREE_NONE)
			continue;
		assert_true(node->parent < i);
		assert_int_equal(node->depth, tree->nodes[node->parent].depth + 1);
		assert_int_equal(node->thread, tree->nodes[node->parent].thread);
		calls += node->count;
	}
	assert_int_equal(calls, tree->call_count);
	for (uint32_t i = 0; i < tree->recording->thread_count; i++)
		assert_true(self[i] == tree->nodes[tree->thread_root[i]].sum_ns);
	free(self);
}

static void check_same(const struct calltree *a, uint32_t node_a, const struct calltree *b,
		       uint32_t node_b)
{
	const struct calltree_node *left = &a->nodes[node_a], *right = &b->nodes[node_b];
	uint32_t child_a = left->first_child, child_b = right->first_child;

	assert_int_equal(left->region, right->region);
	assert_int_equal(left->count, right->count);
	assert_int_equal(left->closed_count, right->closed_count);
	assert_int_equal(left->is_open, right->is_open);
	assert_true(left->sum_ns == right->sum_ns && left->self_ns == right->self_ns);
	assert_true(left->min_ns == right->min_ns && left->max_ns == right->max_ns);
	for (; child_a != CALLTREE_NONE && child_b != CALLTREE_NONE;
	     child_a = a->nodes[child_a].next_sibling, child_b = b->nodes[child_b].next_sibling)
		check_same(a, child_a, b, child_b);
	assert_int_equal(child_a, child_b);
}

static struct recording *random_recording(int round, uint32_t flags, struct synthetic **synthetic)
{
	unsigned short seed[3] = {(unsigned short)round, 2, 3};
	uint32_t threads = 1 + (uint32_t)round % 4;

	*synthetic = synthetic_new(flags);
	for (int i = 0; i < 5; i++)
		synthetic_region(*synthetic, KYMO_REGION_PYTHON, "f");
	for (uint32_t i = 0; i < threads; i++)
		synthetic_thread(*synthetic, i ? 0 : KYMO_NO_THREAD, NULL, 0);
	play(*synthetic, seed, 5, threads);
	if (round % 3)
		synthetic_close(*synthetic, 200000);
	return synthetic_open(*synthetic);
}

static void test_random_programs(void **state)
{
	(void)state;
	for (int round = 0; round < 20; round++) {
		struct synthetic *profile, *trace;
		struct recording *profiled = random_recording(round, KYMO_HEADER_PROFILE, &profile);
		struct recording *traced = random_recording(round, KYMO_HEADER_TRACE, &trace);
		struct calltree *recorded, *replayed;

		assert_int_equal(calltree_new(profiled, &recorded, NULL), KYMO_OK);
		assert_int_equal(calltree_new(traced, &replayed, NULL), KYMO_OK);
		check_tree(recorded);
		check_tree(replayed);
		/* Without an end they stop at different times: of the last enter or event. */
		for (uint32_t i = 0; round % 3 && i < profiled->thread_count; i++)
			check_same(recorded, recorded->thread_root[i], replayed,
				   replayed->thread_root[i]);
		calltree_free(recorded);
		calltree_free(replayed);
		recording_free(profiled);
		recording_free(traced);
		synthetic_free(profile);
		synthetic_free(trace);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trace_with_bare_roots_is_replayed),
		cmocka_unit_test(test_random_programs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
