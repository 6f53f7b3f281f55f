/* Rows of profiles that are deep, wide or damaged. */
#include "model/profile/rows.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/recording/recording_open.h"
#include "synthetic.h"

static const struct rows_options plain = {.thread = KYMO_NO_THREAD};

static void test_deep_trees(void **state)
{
	enum { DEPTH = 50000 };
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_PROFILE);
	uint32_t region = synthetic_region(synthetic, KYMO_REGION_PYTHON, "deep");
	struct recording *recording;
	struct calltree *tree;
	struct rows *rows;
	char label[64 + ROW_NAME_MAX];

	(void)state;
	synthetic_thread(synthetic, KYMO_NO_THREAD, NULL, 0);
	for (uint64_t i = 0; i < DEPTH; i++)
		synthetic_enter(synthetic, 0, region, i);
	for (uint64_t i = DEPTH; i-- > 0;)
		synthetic_leave(synthetic, 0, region, 2 * DEPTH - i);
	synthetic_close(synthetic, 3 * DEPTH);
	recording = synthetic_open(synthetic);
	assert_int_equal(calltree_new(recording, &tree, NULL), KYMO_OK);
	assert_int_equal(rows_new((const struct calltree *const *)&tree, 1, &plain, &rows),
			 KYMO_OK);
	assert_int_equal(rows->count, DEPTH);
	assert_int_equal(rows->rows[DEPTH - 1].depth, DEPTH - 1);
	/* The indentation is bounded, the name is there. */
	assert_int_equal(row_label(rows, DEPTH - 1, 64, label, sizeof(label)), 6 + 64 + 6);
	assert_string_equal(label + 6 + 64, "|_deep");
	rows_free(rows);
	calltree_free(tree);
	recording_free(recording);
	synthetic_free(synthetic);
}

/* Two threads that say they created each other are shown nevertheless. */
static void test_threads_in_a_circle(void **state)
{
	struct region regions[] = {{.name = ""}, {.kind = KYMO_REGION_PYTHON, .name = "f"}};
	struct thread threads[2] = {{.is_present = true}, {.is_present = true}};
	struct recording recording = {
		.regions = regions,
		.region_count = 2,
		.threads = threads,
		.thread_count = 2,
	};
	struct calltree_node nodes[4] = {0};
	uint32_t roots[] = {0, 2}, next[] = {CALLTREE_NONE, CALLTREE_NONE};
	struct calltree tree = {
		.recording = &recording,
		.nodes = nodes,
		.node_count = 4,
		.thread_root = roots,
		.thread_next = next,
	};
	const struct calltree *trees[] = {&tree};
	struct rows *rows;

	(void)state;
	for (uint32_t i = 0; i < 4; i++) {
		bool is_root = i % 2 == 0;

		nodes[i] = (struct calltree_node){
			.region = is_root ? 0 : 1,
			.thread = i / 2,
			.parent = is_root ? CALLTREE_NONE : i - 1,
			.first_child = is_root ? i + 1 : CALLTREE_NONE,
			.next_sibling = CALLTREE_NONE,
			.creates_thread = is_root ? CALLTREE_NONE : 1 - i / 2,
			.count = 1,
		};
	}
	assert_int_equal(rows_new(trees, 1, &plain, &rows), KYMO_OK);
	assert_int_equal(rows->count, 2);
	assert_int_equal(rows->rows[0].thread, 0);
	assert_int_equal(rows->rows[1].thread, 1);
	rows_free(rows);
}

static void test_one_thread(void **state)
{
	struct synthetic *synthetic = synthetic_new(KYMO_HEADER_PROFILE);
	uint32_t region = synthetic_region(synthetic, KYMO_REGION_PYTHON, "f");
	struct rows_options options = {.thread = 1};
	struct recording *recording;
	struct calltree *tree;
	struct rows *rows;

	(void)state;
	synthetic_thread(synthetic, KYMO_NO_THREAD, NULL, 0);
	synthetic_enter(synthetic, 0, region, 0);
	synthetic_thread(synthetic, 0, NULL, 1);
	synthetic_enter(synthetic, 1, region, 2);
	synthetic_leave(synthetic, 1, region, 3);
	synthetic_leave(synthetic, 0, region, 4);
	synthetic_close(synthetic, 5);
	recording = synthetic_open(synthetic);
	assert_int_equal(calltree_new(recording, &tree, NULL), KYMO_OK);
	assert_int_equal(rows_new((const struct calltree *const *)&tree, 1, &options, &rows),
			 KYMO_OK);
	assert_int_equal(rows->count, 1);
	assert_int_equal(rows->rows[0].thread, 1);
	assert_int_equal(rows->rows[0].depth, 0);
	rows_free(rows);
	calltree_free(tree);
	recording_free(recording);
	synthetic_free(synthetic);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_deep_trees),
		cmocka_unit_test(test_threads_in_a_circle),
		cmocka_unit_test(test_one_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
