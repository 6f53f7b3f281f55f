/* Numbers that doubles would spoil, and errors of estimates, are added up exactly. */
#include "merged_fixture.h"
#include "model/tree/flat.h"
#include "writer/recording_writer_events.h"

static void make_large(uint32_t number, uint64_t self, double squares)
{
	struct recording_writer_header made = {
		.pid = 1000 + number, .run_id = {9}, .duration_ns = 1};
	const struct region region = {.kind = KYMO_REGION_USER, .name = "large"};
	struct recording_writer_node node = {.count = 1,
					     .closed_count = 1,
					     .sum_ns = self,
					     .max_ns = self,
					     .sum_squares_ns = squares};
	char *path = name_in("large", number);
	struct recording_writer *maker;
	struct problem problem;

	mkdir(path, 0777);
	path = realloc(path, strlen(path) + 16);
	strcat(path, "/x.kymo");
	assert_int_equal(recording_writer_new(path, &made, &maker, &problem), KYMO_OK);
	recording_writer_thread(maker, "main", 0, 0, 1, 0);
	node.region = recording_writer_region(maker, &region);
	recording_writer_node(maker, &node);
	assert_int_equal(recording_writer_commit(maker, &problem), KYMO_OK);
	free(path);
}

/* 2^60 and 1: in doubles, adding the small ones one by one would come to nothing. */
static void test_small_beside_large(void **state)
{
	char *inputs[3], *pair[2], *whole, *nested;

	(void)state;
	make_large(0, UINT64_C(1) << 60, 0x1p100);
	make_large(1, 1, 1);
	make_large(2, 1, 1);
	for (unsigned int i = 0; i < 3; i++)
		inputs[i] = name_in("large", i);
	whole = merge(inputs, 3, 1 << 20, 1);
	pair[0] = merge(inputs, 2, 1 << 20, 1);
	pair[1] = inputs[2];
	nested = merge(pair, 2, 1 << 20, 1);
	assert_same(whole, nested);
	free(pair[0]);
	pair[0] = merge(inputs + 1, 2, 1 << 20, 1);
	pair[1] = inputs[0];
	free(nested);
	nested = merge(pair, 2, 1 << 20, 1);
	assert_same(whole, nested);
	free(pair[0]);
	free(nested);
	free(whole);
	free_all(inputs, 3);
}

struct counted { /* leaf is called by often and by rare, one of four calls below the other */
	uint64_t off, error, calls_error;
};

static void make_counted(uint32_t number, const struct counted *counted)
{
	const struct recording_writer_header made = {
		.program = "counted", .pid = number, .run_id = {(uint8_t)(number + 1)}};
	char *path = name_in("r", number);
	uint32_t leaf, often, rare;
	struct recording_writer *maker;
	struct recording_writer_node node = {.count = 1, .closed_count = 1, .sum_ns = 1000};
	struct kymo_estimate estimate = {.flags = KYMO_ESTIMATE_OF_TIME,
					 .caller = KYMO_TOTAL_OF_REGION};

	mkdir(path, 0777);
	path = realloc(path, strlen(path) + 16);
	strcat(path, "/x.kymo");
	assert_int_equal(recording_writer_new(path, &made, &maker, NULL), KYMO_OK);
	recording_writer_thread(maker, "main", 1, 0, 1000000, 0);
	leaf = recording_writer_region(maker, &(struct region){.name = "leaf"});
	often = recording_writer_region(maker, &(struct region){.name = "often"});
	rare = recording_writer_region(maker, &(struct region){.name = "rare"});
	node.region = often;
	node.parent = recording_writer_node(maker, &node);
	node.region = leaf;
	node.count = 1000;
	node.sum_ns = 900;
	recording_writer_node(maker, &node);
	node = (struct recording_writer_node){.count = 1, .region = rare, .sum_ns = 500};
	node.parent = recording_writer_node(maker, &node);
	node.region = leaf;
	node.count = 10;
	recording_writer_node(maker, &node);
	estimate.region = leaf;
	for (int i = 0; i < KYMO_ERRORS; i++)
		estimate.errors[i] = (struct kymo_error){
			.off = counted->off, .squares = counted->error * counted->error};
	recording_writer_estimate(maker, &estimate);
	estimate.caller = often;
	estimate.flags = 0;
	estimate.errors[KYMO_CALLS_BELOW] = estimate.errors[KYMO_CALLS_ABOVE] =
		(struct kymo_error){.squares = counted->calls_error * counted->calls_error};
	recording_writer_estimate(maker, &estimate);
	assert_int_equal(recording_writer_commit(maker, NULL), KYMO_OK);
	free(path);
}

static const struct flat_edge *edge_from(const struct calltree *tree, const struct flat *flat,
					 const char *caller)
{
	for (uint32_t i = 0; i < flat->edge_count; i++)
		if (flat->edges[i].caller &&
		    strcmp(tree->recording->regions[flat->edges[i].caller].name, caller) == 0)
			return &flat->edges[i];
	fail_msg("nobody is called by %s", caller);
	return NULL;
}

static const struct flat_row *row_of(const struct calltree *tree, const struct flat *flat,
				     const char *name)
{
	for (uint32_t i = 0; i < flat->row_count; i++)
		if (strcmp(tree->recording->regions[flat->rows[i].region].name, name) == 0)
			return &flat->rows[i];
	fail_msg("there is no %s", name);
	return NULL;
}

/* What is off in the same way everywhere adds up, other errors as their squares do. */
static void test_errors_add_up(void **state)
{
	const struct counted counted[] = {{10, 30, 3}, {20, 40, 4}};
	char *inputs[2], *output;
	struct recording *recording;
	struct calltree *tree;
	struct flat *flat;
	const struct flat_row *leaf;
	const struct flat_edge *often, *rare;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		make_counted(20 + i, &counted[i]);
		inputs[i] = name_in("r", 20 + i);
	}
	output = merge(inputs, 2, UINT64_MAX, 1);
	recording = open_merged(output);
	assert_int_equal(calltree_new(recording, &tree, NULL), KYMO_OK);
	assert_int_equal(tree->estimated_functions, 1);
	assert_true(tree->has_estimated_counts);
	assert_int_equal(flat_new(tree, NULL, &flat), KYMO_OK);
	leaf = row_of(tree, flat, "leaf");
	assert_true(leaf->estimate.is_known);
	assert_int_equal(leaf->count, 2020);
	assert_true(leaf->estimate.total_ns == leaf->total_ns);
	assert_true(leaf->estimate.total_below_ns == 10 + 20 + 50);
	assert_true(leaf->estimate.self_above_ns == 10 + 20 + 50);
	assert_false(row_of(tree, flat, "often")->estimate.is_known);
	often = edge_from(tree, flat, "often");
	assert_true(often->is_count_estimated);
	assert_int_equal(often->count, 2000);
	assert_int_equal(often->count_low, 1995);
	assert_int_equal(often->count_high, 2005);
	rare = edge_from(tree, flat, "rare");
	assert_false(rare->is_count_estimated);
	assert_int_equal(rare->count, 20);
	flat_free(flat);
	calltree_free(tree);
	recording_free(recording);
	free(output);
	free_all(inputs, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_small_beside_large),
		cmocka_unit_test(test_errors_add_up),
	};

	if (!mkdtemp(folder))
		return 1;
	return cmocka_run_group_tests(tests, NULL, remove_all);
}
