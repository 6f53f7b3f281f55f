/* Rows and edges of regions, compared with cProfile's way of counting: its algorithm
 * runs beside, over the same calls, event by event. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/tree/calltree.h"
#include "model/recording/recording_open.h"
#include "model/tree/flat.h"
#include "synthetic.h"

#define REGIONS	  6 /* ids 0 (none) to 5 */
#define DEPTH_MAX 40

struct tally { /* what cProfile keeps of a function, or of one below a caller */
	uint64_t calls, recursive_calls;
	double total, self;
	unsigned level;
};

struct activation {
	uint32_t region;
	uint64_t enter;
	double children;
};

struct oracle {
	struct tally functions[REGIONS];
	struct tally edges[REGIONS][REGIONS];
	struct activation stack[DEPTH_MAX];
	size_t depth;
};

static void tally_leave(struct tally *tally, double total, double self)
{
	if (--tally->level == 0)
		tally->total += total;
	else
		tally->recursive_calls++;
	tally->self += self;
	tally->calls++;
}

static void oracle_enter(struct oracle *oracle, uint32_t region, uint64_t time)
{
	uint32_t caller = oracle->depth ? oracle->stack[oracle->depth - 1].region : 0;

	oracle->functions[region].level++;
	oracle->edges[caller][region].level++;
	oracle->stack[oracle->depth++] = (struct activation){region, time, 0};
}

static uint32_t oracle_leave(struct oracle *oracle, uint64_t time)
{
	struct activation *left = &oracle->stack[--oracle->depth];
	double total = (double)(time - left->enter);
	uint32_t caller = oracle->depth ? left[-1].region : 0;

	if (oracle->depth)
		left[-1].children += total;
	tally_leave(&oracle->functions[left->region], total, total - left->children);
	tally_leave(&oracle->edges[caller][left->region], total, total - left->children);
	return left->region;
}

/* A random program of one thread, all of it left at the end. */
static void play(struct synthetic *synthetic, uint32_t thread, struct oracle *oracle,
		 unsigned short seed[3])
{
	uint64_t time = 0;

	for (int step = 0; step < 2000 || oracle->depth; step++) {
		time += (uint64_t)nrand48(seed) % 100;
		if (step < 2000 && oracle->depth < DEPTH_MAX && nrand48(seed) % 2) {
			uint32_t region = 1 + (uint32_t)nrand48(seed) % (REGIONS - 1);

			oracle_enter(oracle, region, time);
			synthetic_enter(synthetic, thread, region, time);
		} else if (oracle->depth) {
			synthetic_leave(synthetic, thread, oracle_leave(oracle, time), time);
		}
	}
}

static const struct flat_row *row_of(const struct flat *flat, uint32_t region)
{
	for (uint32_t i = 0; i < flat->row_count; i++) {
		if (flat->rows[i].region == region)
			return &flat->rows[i];
	}
	return NULL;
}

static const struct flat_edge *edge_of(const struct flat *flat, uint32_t caller, uint32_t callee)
{
	for (uint32_t i = 0; i < flat->edge_count; i++) {
		if (flat->edges[i].caller == caller && flat->edges[i].callee == callee)
			return &flat->edges[i];
	}
	return NULL;
}

static void check_edges(const struct flat *flat, const struct oracle *oracle)
{
	uint32_t expected = 0;

	for (uint32_t caller = 0; caller < REGIONS; caller++) {
		for (uint32_t callee = 1; callee < REGIONS; callee++) {
			const struct tally *tally = &oracle->edges[caller][callee];
			const struct flat_edge *edge = edge_of(flat, caller, callee);

			if (!tally->calls) {
				assert_null(edge);
				continue;
			}
			expected++;
			assert_non_null(edge);
			assert_int_equal(edge->count, tally->calls);
			assert_int_equal(edge->primitive_count,
					 tally->calls - tally->recursive_calls);
			assert_true(edge->self_ns == tally->self);
			assert_true(edge->total_ns == tally->total);
		}
	}
	assert_int_equal(flat->edge_count, expected);
}

static void check_rows(const struct flat *flat, const struct oracle *oracle)
{
	for (uint32_t region = 1; region < REGIONS; region++) {
		const struct tally *tally = &oracle->functions[region];
		const struct flat_row *row = row_of(flat, region);

		assert_non_null(row);
		assert_int_equal(row->count, tally->calls);
		assert_int_equal(row->closed_count, tally->calls);
		assert_int_equal(row->primitive_count, tally->calls - tally->recursive_calls);
		assert_true(row->self_ns == tally->self);
		assert_true(row->total_ns == tally->total);
	}
}

static void test_counts_as_cprofile_does(void **state)
{
	(void)state;
	for (int round = 0; round < 20; round++) {
		unsigned short seed[3] = {(unsigned short)round, 5, 9};
		struct synthetic *synthetic =
			synthetic_new(round % 2 ? KYMO_HEADER_PROFILE : KYMO_HEADER_TRACE);
		struct oracle *oracle = calloc(1, sizeof(*oracle));
		struct recording *recording;
		struct calltree *tree;
		struct flat *flat;

		for (int i = 1; i < REGIONS; i++)
			synthetic_region(synthetic, KYMO_REGION_PYTHON, "f");
		synthetic_thread(synthetic, KYMO_NO_THREAD, NULL, 0);
		play(synthetic, 0, oracle, seed);
		recording = synthetic_open(synthetic);
		assert_int_equal(calltree_new(recording, &tree, NULL), KYMO_OK);
		assert_int_equal(flat_new(tree, NULL, &flat), KYMO_OK);
		check_rows(flat, oracle);
		check_edges(flat, oracle);
		flat_free(flat);
		calltree_free(tree);
		recording_free(recording);
		synthetic_free(synthetic);
		free(oracle);
	}
}

static void test_sorted_and_complete(void **state)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_PROFILE);
	uint32_t f = synthetic_region(synthetic, KYMO_REGION_PYTHON, "f");
	uint32_t unused = synthetic_region(synthetic, KYMO_REGION_PYTHON, "unused");
	uint32_t g = synthetic_region(synthetic, KYMO_REGION_PYTHON, "g");
	uint32_t thread = synthetic_thread(synthetic, KYMO_NO_THREAD, NULL, 0);
	struct recording *recording;
	struct calltree *tree;
	struct flat *flat;

	(void)state;
	synthetic_enter(synthetic, thread, g, 10);
	synthetic_enter(synthetic, thread, f, 20);
	synthetic_leave(synthetic, thread, f, 50);
	recording = synthetic_open(synthetic);
	assert_int_equal(calltree_new(recording, &tree, NULL), KYMO_OK);
	assert_int_equal(flat_new(tree, NULL, &flat), KYMO_OK);
	assert_int_equal(flat->row_count, 2);
	assert_int_equal(flat->rows[0].region, f);
	assert_int_equal(flat->rows[1].region, g);
	assert_null(row_of(flat, unused));
	assert_false(flat->rows[0].is_open);
	assert_true(flat->rows[1].is_open);
	assert_true(flat->rows[0].min_ns == 30 && flat->rows[0].max_ns == 30);
	assert_true(flat->rows[0].sum_squares_ns == 900);
	assert_true(flat->rows[0].visits_ns == 30);
	assert_int_equal(flat->rows[1].closed_count, 0);
	assert_int_equal(flat->edge_count, 2);
	assert_int_equal(flat->edges[0].caller, 0);
	assert_int_equal(flat->edges[0].callee, g);
	assert_int_equal(flat->edges[1].caller, g);
	assert_int_equal(flat->edges[1].callee, f);
	flat_free(flat);
	calltree_free(tree);
	recording_free(recording);
	synthetic_free(synthetic);
}

static void test_chosen_threads(void **state)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_PROFILE);
	uint32_t f = synthetic_region(synthetic, KYMO_REGION_PYTHON, "f");
	static const bool second[] = {false, true, false}, none[3];
	struct recording *recording;
	struct calltree *tree;
	struct flat *flat;

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		uint32_t thread = synthetic_thread(synthetic, KYMO_NO_THREAD, NULL, 0);

		for (uint32_t k = 0; k <= i; k++) {
			synthetic_enter(synthetic, thread, f, 10 * k);
			synthetic_leave(synthetic, thread, f, 10 * k + 1);
		}
	}
	recording = synthetic_open(synthetic);
	assert_int_equal(calltree_new(recording, &tree, NULL), KYMO_OK);
	assert_int_equal(flat_new(tree, NULL, &flat), KYMO_OK);
	assert_int_equal(row_of(flat, f)->count, 6);
	assert_int_equal(row_of(flat, f)->primitive_count, 6);
	flat_free(flat);
	assert_int_equal(flat_new(tree, second, &flat), KYMO_OK);
	assert_int_equal(row_of(flat, f)->count, 2);
	flat_free(flat);
	assert_int_equal(flat_new(tree, none, &flat), KYMO_OK);
	assert_int_equal(flat->row_count, 0);
	assert_int_equal(flat->edge_count, 0);
	flat_free(flat);
	calltree_free(tree);
	recording_free(recording);
	synthetic_free(synthetic);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counts_as_cprofile_does),
		cmocka_unit_test(test_sorted_and_complete),
		cmocka_unit_test(test_chosen_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
