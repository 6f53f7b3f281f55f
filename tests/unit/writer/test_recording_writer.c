/* The maker of recordings: what the reader says of what was made. */
#include "writer/recording_writer.h"

#include "model/recording/recording_open.h"
#include "recording_writer_fixture.h"
#include "writer/recording_writer_events.h"

struct expected {
	uint32_t parent, region, thread;
	uint64_t handle, count, closed, self, sum, min, max;
};

static void make_tree(struct expected *nodes, const uint32_t *regions)
{
	for (uint32_t i = 0; i < TREE_NODES; i++) {
		struct expected *node = &nodes[i];

		*node = (struct expected){
			.parent = i ? any(i + 1) : 0, /* 0: a root's child, else node before it */
			.region = regions[any(REGIONS)],
			.thread = any(THREADS),
			.count = 1 + any(1000),
			.self = any(1u << 30),
			.min = any(1000),
		};
		node->max = node->min + any(1000);
		node->closed = any(4) ? node->count : 0;
		if (node->parent)
			node->thread = nodes[node->parent - 1].thread;
		node->sum = node->self;
	}
	for (uint32_t i = TREE_NODES; i-- > 0;)
		if (nodes[i].parent)
			nodes[nodes[i].parent - 1].sum += nodes[i].sum;
}

static void write_tree(struct recording_writer *maker, struct expected *nodes)
{
	for (uint32_t i = 0; i < TREE_NODES; i++) {
		struct expected *node = &nodes[i];
		bool is_late = i % 10 == 0;
		struct recording_writer_node from = {
			.thread = node->thread,
			.region = node->region,
			.parent = node->parent ? nodes[node->parent - 1].handle : 0,
			.count = node->count,
			.closed_count = node->closed,
			.sum_ns = is_late ? 1 : node->sum,
			.min_ns = node->min,
			.max_ns = node->max,
			.sum_squares_ns = (double)node->max * (double)node->max,
		};

		node->handle = recording_writer_node(maker, &from);
	}
	for (uint32_t i = 0; i < TREE_NODES; i += 10)
		recording_writer_sum(maker, nodes[i].handle, nodes[i].sum);
}

static void check_node(const struct calltree *tree, uint32_t i, const struct expected *nodes,
		       const uint32_t *index)
{
	const struct calltree_node *node = &tree->nodes[index[i]];
	const struct expected *want = &nodes[i];
	uint32_t parent = want->parent ? index[want->parent - 1] : tree->thread_root[want->thread];

	assert_int_equal(node->region, want->region);
	assert_int_equal(node->thread, want->thread);
	assert_int_equal(node->parent, parent);
	assert_int_equal(node->count, want->count);
	assert_int_equal(node->closed_count, want->closed);
	assert_true(node->sum_ns == (double)want->sum);
	assert_true(node->self_ns == (double)want->self);
	if (want->closed) {
		assert_true(node->min_ns == (double)want->min && node->max_ns == (double)want->max);
		assert_true(node->sum_squares_ns == (double)want->max * (double)want->max);
	}
	assert_false(node->is_open);
}

/* The reader numbers nodes in the order of the file, roots where they were first needed. */
static void check_tree(const struct calltree *tree, const struct expected *nodes)
{
	uint32_t *index = calloc(TREE_NODES, sizeof(*index));
	uint32_t at = 0;

	assert_int_equal(tree->node_count, TREE_NODES + THREADS);
	for (uint32_t i = 0; i < TREE_NODES; i++) {
		while (tree->nodes[at].parent == CALLTREE_NONE)
			at++;
		index[i] = at++;
	}
	for (uint32_t i = 0; i < TREE_NODES; i++)
		check_node(tree, i, nodes, index);
	for (uint32_t i = 0; i < THREADS; i++) {
		const struct calltree_node *root = &tree->nodes[tree->thread_root[i]];

		assert_int_equal(root->count, 1);
		assert_true(root->is_open == (i == 0));
	}
	free(index);
}

static void test_random_tree(void **state)
{
	struct recording_writer_header header = {
		.duration_ns = UINT64_C(1) << 50, .exit_status = 3, .pid = 77};
	struct recording_writer *maker = maker_of(&header);
	struct expected *nodes = calloc(TREE_NODES, sizeof(*nodes));
	uint32_t regions[REGIONS];
	struct recording *recording;
	struct calltree *tree;
	char name[2][32];

	(void)state;
	for (uint32_t twice = 0; twice < 2; twice++) {
		for (uint32_t i = 0; i < REGIONS; i++) {
			struct region region = region_of(i, name);
			uint32_t id = recording_writer_region(maker, &region);

			assert_int_equal(id, i + 1);
			regions[i] = id;
		}
	}
	for (uint32_t i = 0; i < THREADS; i++)
		assert_int_equal(recording_writer_thread(maker, i ? "worker" : NULL, 100 + i, i,
							 i ? 5000 : 0, 7),
				 i);
	make_tree(nodes, regions);
	write_tree(maker, nodes);
	recording = made(maker);
	assert_int_equal(recording->header.pid, 77);
	assert_int_equal(recording->header.exit_status, 3);
	assert_int_equal(recording->region_count, REGIONS + 1);
	for (uint32_t i = 0; i < REGIONS; i++) {
		struct region want = region_of(i, name);
		const struct region *region = &recording->regions[i + 1];

		assert_string_equal(region->name, want.name);
		assert_string_equal(region->file, want.file);
		assert_int_equal(region->line, i);
		assert_int_equal(region->kind, want.kind);
		assert_int_equal(region->qualname != NULL, want.qualname != NULL);
	}
	assert_string_equal(recording_program(recording), "made.py");
	assert_int_equal(recording->thread_count, THREADS);
	assert_string_equal(recording->threads[1].name, "worker");
	assert_int_equal(recording->threads[1].cpu_ns, 7);
	assert_int_equal(recording_ns(recording, recording->threads[1].end_ticks), 5000);
	tree = tree_of(recording);
	check_tree(tree, nodes);
	calltree_free(tree);
	recording_free(recording);
	free(nodes);
}

static void test_metrics_and_series(void **state)
{
	uint32_t named = metric_define("made_counter", "events", "what was made");
	const uint32_t metrics[] = {KYMO_METRIC_PEAK_RSS, named};
	struct recording_writer_header header = {.metric_count = 2, .metrics = metrics};
	struct recording_writer *maker = maker_of(&header);
	const struct calltree_metric values[] = {{2, 30, 10, 20, 500}, {0, 0, 0, 0, 0}};
	const struct region region = {.kind = KYMO_REGION_USER, .name = "r"};
	struct recording_writer_node node = {.count = 1, .metrics = values};
	uint32_t series;
	uint64_t index = 0;
	struct kymo_point point;
	struct recording *recording;
	struct calltree *tree;

	(void)state;
	recording_writer_thread(maker, "main", 0, 0, 10, 0);
	node.region = recording_writer_region(maker, &region);
	recording_writer_node(maker, &node);
	series = recording_writer_series(maker, "load", "%", KYMO_NO_THREAD);
	for (unsigned i = 0; i < 1000; i++)
		recording_writer_point(maker, series, i, i / 2.0);
	recording_writer_note(maker, KYMO_NOTE_WARNING, "area", "a sentence");
	recording_writer_note(maker, KYMO_NOTE_INFO, "empty", "");
	recording = made(maker);
	assert_string_equal(recording_note(recording, KYMO_NOTE_WARNING, "area"), "a sentence");
	assert_string_equal(recording_note(recording, KYMO_NOTE_INFO, "empty"), "");
	assert_int_equal(recording->header.metrics[0], KYMO_METRIC_PEAK_RSS);
	assert_int_equal(recording->header.metrics[1], named);
	tree = tree_of(recording);
	assert_int_equal(tree->metric_count, 2);
	assert_memory_equal(&tree->metrics[2], values, sizeof(values));
	calltree_free(tree);
	assert_string_equal(recording->series[0].name, "load");
	for (unsigned i = 0; i < 1000; i++) {
		assert_true(recording_point(recording, &index, &point));
		assert_true(point.value == i / 2.0);
		assert_int_equal(recording_ns(recording, point.ticks), i);
	}
	assert_false(recording_point(recording, &index, &point));
	recording_free(recording);
}

/* What does not fit into a double is kept beside it; nodes without enters stay. */
static void test_exact(void **state)
{
	struct recording_writer_header header = {.flags = KYMO_HEADER_MERGED};
	struct recording_writer *maker = maker_of(&header);
	const struct recording_writer_exact exact = {.self_ns = 5, .squares = 1, .squares_high = 1};
	const struct region region = {.kind = KYMO_REGION_USER, .name = "r"};
	struct recording_writer_node node = {.count = 1, .sum_ns = 100, .exact = &exact};
	struct recording *recording;
	struct calltree *tree;

	(void)state;
	recording_writer_thread(maker, "main", 0, 0, 10, 0);
	node.parent = recording_writer_root(maker, &node);
	node.region = recording_writer_region(maker, &region);
	node.count = 9;
	node.closed_count = 4;
	node.sum_squares_ns = 0x1p64;
	node.min_ns = 2;
	node.max_ns = 3;
	recording_writer_node(maker, &node);
	node.count = 0;
	node.closed_count = 1;
	recording_writer_node(maker, &node);
	recording = made(maker);
	tree = tree_of(recording);
	assert_int_equal(tree->node_count, 3);
	assert_int_equal(tree->nodes[1].count, 9);
	assert_int_equal(tree->nodes[1].closed_count, 4);
	assert_true(tree->nodes[1].min_ns == 2 && tree->nodes[1].max_ns == 3);
	assert_int_equal(tree->nodes[2].count, 0);
	assert_int_equal(tree->nodes[2].closed_count, 1);
	calltree_free(tree);
	recording_free(recording);
}

/* Counts that are samples; what has no count is a call path all the same. */
static void test_sampled(void **state)
{
	struct recording_writer_header header = {.flags = KYMO_HEADER_MADE | KYMO_HEADER_SAMPLED};
	struct recording_writer *maker = maker_of(&header);
	const struct region region = {.kind = KYMO_REGION_USER, .name = "r"};
	struct recording_writer_node node = {.count = 7, .sum_ns = 100};
	struct recording *recording;
	struct calltree *tree;

	(void)state;
	recording_writer_thread(maker, "main", 0, 0, 10, 0);
	node.region = recording_writer_region(maker, &region);
	node.parent = recording_writer_node(maker, &node);
	node.count = 0;
	recording_writer_node(maker, &node);
	recording_writer_note(maker, KYMO_NOTE_INFO, CALLTREE_EFFECTIVE_NOTE, "6.5");
	recording = made(maker);
	tree = tree_of(recording);
	assert_int_equal(tree->node_count, 3);
	assert_true(tree->nodes[2].sum_ns == 100 && tree->nodes[2].closed_count == 0);
	assert_true(tree->effective_count == 6.5);
	calltree_free(tree);
	recording_free(recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_tree),
		cmocka_unit_test(test_metrics_and_series),
		cmocka_unit_test(test_exact),
		cmocka_unit_test(test_sampled),
	};

	close(mkstemp(path));
	return cmocka_run_group_tests(tests, NULL, remove_file);
}
