/* Sums that a recording was made with: they are the flat table's, for the threads asked for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "writer/recording_writer.h"
#include "model/recording/recording_open.h"
#include "model/tree/flat.h"
#include "writer/recording_writer_events.h"

static char path[] = "/tmp/kymo-told-XXXXXX";

/* Two threads: outer calls inner in each, 10 ns of 30 ns; inner tells of itself what no paths could
 * come to, by both threads, and of outer's calls of it by the first. */
static struct recording *made(void)
{
	const struct recording_writer_header header = {.run_id = {1}, .duration_ns = 30};
	const struct region regions[] = {{.name = "outer"}, {.name = "inner"}};
	struct recording *recording = NULL;
	struct recording_writer *maker;
	struct problem problem;
	uint32_t outer, inner;

	assert_int_equal(recording_writer_new(path, &header, &maker, &problem), KYMO_OK);
	outer = recording_writer_region(maker, &regions[0]);
	inner = recording_writer_region(maker, &regions[1]);
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t thread = recording_writer_thread(maker, NULL, i + 1, 0, 30, 0);
		struct recording_writer_node node = {thread, outer, .count = 1, .sum_ns = 30};
		uint64_t parent = recording_writer_node(maker, &node);

		node = (struct recording_writer_node){thread, inner, parent, .count = 1,
						      .sum_ns = 10};
		recording_writer_node(maker, &node);
	}
	const struct recording_writer_total totals[] = {
		{0, inner, KYMO_TOTAL_OF_REGION, 7, 2, 11, 25},
		{1, inner, KYMO_TOTAL_OF_REGION, 5, 1, 3, 4},
		{0, inner, outer, 6, 2, 10, 24},
		{0, inner, inner, 1, 0, 1, 1},			  /* an edge that no path has */
		{2, inner, KYMO_TOTAL_OF_REGION, 1, 1, 1, 1},	  /* no such thread */
		{0, inner + 1, KYMO_TOTAL_OF_REGION, 1, 1, 1, 1}, /* no such region */
		{0, inner, inner + 1, 1, 1, 1, 1},		  /* no such caller */
	};
	for (size_t i = 0; i < sizeof(totals) / sizeof(*totals); i++)
		recording_writer_total(maker, &totals[i]);
	assert_int_equal(recording_writer_commit(maker, &problem), KYMO_OK);
	assert_int_equal(recording_open(path, &recording, &problem), KYMO_OK);
	return recording;
}

static struct flat *flat_of(struct calltree *tree, const bool *threads)
{
	struct flat *flat;

	assert_int_equal(flat_new(tree, threads, &flat), KYMO_OK);
	assert_int_equal(flat->row_count, 2); /* outer and inner */
	return flat;
}

static void check_row(const struct flat_row *row, uint64_t count, uint64_t primitive, double self,
		      double total)
{
	assert_int_equal(row->count, count);
	assert_int_equal(row->primitive_count, primitive);
	assert_true(row->self_ns == self);
	assert_true(row->total_ns == total);
}

static const struct flat_edge *edge_of(const struct flat *flat, uint32_t caller, uint32_t callee)
{
	for (uint32_t i = 0; i < flat->edge_count; i++) {
		if (flat->edges[i].caller == caller && flat->edges[i].callee == callee)
			return &flat->edges[i];
	}
	return NULL;
}

static void test_sums_are_what_was_told(void **state)
{
	static const bool second[] = {false, true};
	struct recording *recording = made();
	struct problem problem;
	struct calltree *tree;
	struct flat *flat;

	(void)state;
	assert_int_equal(calltree_new(recording, &tree, &problem), KYMO_OK);
	flat = flat_of(tree, NULL);
	check_row(&flat->rows[0], 2, 2, 40, 60);
	check_row(&flat->rows[1], 12, 3, 14, 29);
	assert_int_equal(edge_of(flat, 1, 2)->count, 6);
	assert_int_equal(edge_of(flat, 1, 2)->primitive_count, 2);
	assert_true(edge_of(flat, 1, 2)->total_ns == 24);
	assert_int_equal(edge_of(flat, 2, 2)->count, 1);
	flat_free(flat);

	flat = flat_of(tree, second);
	check_row(&flat->rows[1], 5, 1, 3, 4);
	assert_int_equal(edge_of(flat, 1, 2)->count, 1); /* nothing told: the path's */
	assert_null(edge_of(flat, 2, 2));
	flat_free(flat);
	calltree_free(tree);
	recording_free(recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_are_what_was_told),
	};
	int descriptor = mkstemp(path), failed;

	close(descriptor);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	return failed;
}
