/* The maker of recordings: what the reader says of what was made. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <setjmp.h>
#include <unistd.h>

#include <cmocka.h>

#include "format/metric.h"
#include "writer/recording_writer.h"

static char path[] = "/tmp/kymo-maker-XXXXXX";

static struct recording_writer *maker_of(struct recording_writer_header *made)
{
	struct problem problem;
	struct recording_writer *maker;

	made->program = "made.py";
	if (recording_writer_new(path, made, &maker, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
	return maker;
}

static struct recording *made(struct recording_writer *maker)
{
	struct problem problem;
	struct recording *recording = NULL;

	if (recording_writer_commit(maker, &problem) != KYMO_OK ||
	    recording_open(path, &recording, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
	for (size_t i = 0; i < recording->problem_count; i++)
		fail_msg("%s", recording->problems[i]);
	return recording;
}

static struct calltree *tree_of(const struct recording *recording)
{
	struct problem problem;
	struct calltree *tree;

	if (calltree_new(recording, &tree, &problem) != KYMO_OK)
		fail_msg("%s", problem.text);
	assert_int_equal(tree->dropped_count, 0);
	return tree;
}

#define TREE_NODES 30000
#define REGIONS	   997
#define THREADS	   5

static uint64_t random_state = 1;

static uint32_t any(uint32_t limit)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % limit;
}

static struct region region_of(uint32_t id, char name[2][32])
{
	snprintf(name[0], sizeof(name[0]), "f%u", id);
	snprintf(name[1], sizeof(name[1]), "/src/%u.py", id % 7);
	return (struct region){
		.kind = id % 3 ? KYMO_REGION_PYTHON : KYMO_REGION_NATIVE,
		.name = name[0],
		.qualname = id % 5 ? name[0] : NULL,
		.file = name[1],
		.line = id,
		.flags = KYMO_REGION_LABEL_FILE,
	};
}

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

#define EVENT_THREADS 3
#define EVENTS	      40000

struct event {
	uint64_t ns;
	uint32_t region;
	enum trace_event_kind kind;
};

/* Random events that balance; times that need records of their own are among them. */
static void make_events(struct event *events)
{
	uint32_t stack[64], depth = 0;
	uint64_t now = 0;

	for (uint32_t i = 0; i < EVENTS; i++) {
		struct event *event = &events[i];
		uint32_t left = EVENTS - i;

		now += any(1000) ? any(5000) : UINT64_C(1) << 41;
		event->ns = now;
		if (depth && (depth == 64 || left <= depth || any(2))) {
			event->kind = TRACE_LEAVE;
			event->region = stack[--depth];
		} else if (left > depth + 1 && any(10)) {
			event->kind = TRACE_ENTER;
			event->region = stack[depth++] = 1 + any(REGIONS);
		} else {
			event->kind = TRACE_INSTANT;
			event->region = 1 + any(REGIONS);
		}
	}
}

static void write_event(struct recording_writer *maker, uint32_t thread, const struct event *event)
{
	switch (event->kind) {
	case TRACE_ENTER:
		recording_writer_enter(maker, thread, event->ns, event->region);
		break;
	case TRACE_LEAVE:
		recording_writer_leave(maker, thread, event->ns);
		break;
	default:
		recording_writer_instant(maker, thread, event->ns, event->region);
	}
}

static void check_events(const struct recording *recording, uint32_t thread,
			 const struct event *events)
{
	struct trace_cursor *cursor;
	struct trace_event event;

	assert_int_equal(trace_cursor_new(recording, thread, &cursor), KYMO_OK);
	for (uint32_t i = 0; i < EVENTS; i++) {
		assert_true(trace_cursor_next(cursor, &event));
		assert_int_equal(event.kind, events[i].kind);
		assert_int_equal(event.region, events[i].region);
		assert_int_equal(recording_ns(recording, event.ticks), events[i].ns);
		assert_false(event.is_synthetic);
	}
	assert_false(trace_cursor_next(cursor, &event));
	assert_int_equal(trace_cursor_dropped(cursor), 0);
	trace_cursor_free(cursor);
}

static void test_random_events(void **state)
{
	struct recording_writer_header header = {.exit_status = -1};
	struct recording_writer *maker = maker_of(&header);
	struct event *events[EVENT_THREADS];
	struct recording *recording;
	struct calltree *tree;
	char name[2][32];

	(void)state;
	for (uint32_t i = 0; i < REGIONS; i++) {
		struct region region = region_of(i, name);

		recording_writer_region(maker, &region);
	}
	for (uint32_t i = 0; i < EVENT_THREADS; i++) {
		events[i] = calloc(EVENTS, sizeof(**events));
		make_events(events[i]);
		recording_writer_thread(maker, NULL, 0, 0, 0, 0);
	}
	for (uint32_t k = 0; k < EVENTS; k++)
		for (uint32_t i = 0; i < EVENT_THREADS; i++)
			write_event(maker, i, &events[i][k]);
	recording = made(maker);
	assert_int_equal(recording->header.flags, KYMO_HEADER_TRACE);
	for (uint32_t i = 0; i < EVENT_THREADS; i++) {
		check_events(recording, i, events[i]);
		free(events[i]);
	}
	tree = tree_of(recording);
	assert_true(tree->is_replayed);
	calltree_free(tree);
	recording_free(recording);
}

/* Ids that do not fit the head of an event. */
static void test_wide_regions(void **state)
{
	struct recording_writer_header header = {.exit_status = -1};
	struct recording_writer *maker = maker_of(&header);
	uint32_t count = KYMO_EVENT_REGION_MAX + 10, thread, last = 0;
	const struct region region = {.kind = KYMO_REGION_USER, .name = "r"};
	struct trace_cursor *cursor;
	struct trace_event event;
	struct recording *recording;

	(void)state;
	thread = recording_writer_thread(maker, NULL, 0, 0, 0, 0);
	for (uint32_t i = 0; i < count; i++)
		last = recording_writer_new_region(maker, &region);
	recording_writer_enter(maker, thread, 10, last);
	recording_writer_instant(maker, thread, 11, last);
	recording_writer_leave(maker, thread, 12);
	recording_writer_leave(maker, thread, 13); /* of nothing */
	recording = made(maker);
	assert_int_equal(trace_cursor_new(recording, thread, &cursor), KYMO_OK);
	for (unsigned i = 0; i < 3; i++) {
		assert_true(trace_cursor_next(cursor, &event));
		assert_int_equal(event.region, last);
		assert_int_equal(recording_ns(recording, event.ticks), 10 + i);
	}
	assert_false(trace_cursor_next(cursor, &event));
	trace_cursor_free(cursor);
	recording_free(recording);
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

#define PARTS 3000

static void make_parts(struct recording_writer *maker)
{
	for (uint32_t i = 0; i < PARTS; i++) {
		const struct recording_part part = {
			.run = "first",
			.program = "made.py",
			.host = i % 2 ? "node1" : NULL,
			.pid = i,
			.thread = i % 3,
			.rank = (int32_t)i - 1,
			.run_id = {1, 2, 3},
			.start_realtime_ns = i * UINT64_C(1000),
			.duration_ns = 5,
			.cpu_ns = 4,
			.outside_ns = i,
			.measuring_ns = 2 * i,
			.process_ns = 3 * i,
			.is_complete = i % 2,
			.is_idle = i % 4 == 1,
		};

		assert_int_equal(recording_writer_part(maker, &part), i);
	}
}

static struct recording_share share_of(uint32_t part, uint32_t k)
{
	return (struct recording_share){
		.part = part,
		.region = 1 + k * 31,
		.count = part,
		.self_ns = UINT64_C(1) << k,
		.total_ns = k == 7 ? UINT64_MAX : UINT64_C(2) << k,
		/* All of it, some, none. */
		.work_ns = k < 3   ? UINT64_C(1) << k
			   : k < 6 ? k
				   : 0,
		.work_total_ns = k < 3	 ? UINT64_C(2) << k
				 : k < 6 ? 2 * k
					 : 0,
	};
}

/* Parts in which no region has a share are passed over. */
static void test_parts_and_shares(void **state)
{
	struct recording_writer_header header = {.flags = KYMO_HEADER_MERGED};
	struct recording_writer *maker = maker_of(&header);
	struct share_position position = {0};
	struct recording_share share;
	struct recording *recording;
	char name[2][32];

	(void)state;
	for (uint32_t i = 0; i < REGIONS; i++) {
		struct region region = region_of(i, name);

		recording_writer_new_region(maker, &region);
	}
	make_parts(maker);
	for (uint32_t i = 0; i < PARTS; i += 1 + i % 3)
		for (uint32_t k = 0; k < 8; k++) {
			share = share_of(i, k);
			recording_writer_share(maker, &share);
		}
	recording = made(maker);
	assert_int_equal(recording->part_count, PARTS);
	assert_string_equal(recording->parts[1].host, "node1");
	assert_null(recording->parts[2].host);
	assert_int_equal(recording->parts[0].rank, -1);
	assert_int_equal(recording->parts[PARTS - 1].rank, PARTS - 2);
	assert_int_equal(recording->parts[PARTS - 1].start_realtime_ns, (PARTS - 1) * 1000);
	assert_int_equal(recording->parts[5].run_id[2], 3);
	assert_true(recording->parts[5].is_complete && recording->parts[5].is_idle);
	assert_int_equal(recording->parts[5].outside_ns, 5);
	assert_int_equal(recording->parts[5].measuring_ns, 10);
	assert_int_equal(recording->parts[5].process_ns, 15);
	assert_false(recording->parts[6].is_complete);
	assert_int_equal(recording->parts[6].process_ns, 0);
	for (uint32_t i = 0; i < PARTS; i += 1 + i % 3)
		for (uint32_t k = 0; k < 8; k++) {
			const struct recording_share want = share_of(i, k);

			assert_true(recording_share(recording, &position, &share));
			assert_memory_equal(&share, &want, sizeof(want));
		}
	assert_false(recording_share(recording, &position, &share));
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

static void test_discarded(void **state)
{
	struct recording_writer_header header = {0};
	struct recording_writer *maker;

	(void)state;
	unlink(path);
	maker = maker_of(&header);
	recording_writer_thread(maker, "main", 0, 0, 10, 0);
	recording_writer_enter(maker, 0, 1, 1);
	recording_writer_discard(maker);
	assert_int_equal(access(path, F_OK), -1);
}

static void test_bad_paths(void **state)
{
	const struct recording_writer_header header = {0};
	struct recording_writer *maker = NULL;
	struct problem problem;

	(void)state;
	assert_int_equal(recording_writer_new("-", &header, &maker, &problem), KYMO_USAGE);
	assert_int_equal(recording_writer_new("/dev/null", &header, &maker, &problem), KYMO_USAGE);
	assert_int_equal(recording_writer_new("/nowhere/x", &header, &maker, &problem),
			 KYMO_SYSTEM);
	assert_null(maker);
}

static int remove_file(void **state)
{
	(void)state;
	unlink(path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_random_tree),	 cmocka_unit_test(test_random_events),
		cmocka_unit_test(test_wide_regions),	 cmocka_unit_test(test_metrics_and_series),
		cmocka_unit_test(test_parts_and_shares), cmocka_unit_test(test_exact),
		cmocka_unit_test(test_sampled),		 cmocka_unit_test(test_discarded),
		cmocka_unit_test(test_bad_paths),
	};

	close(mkstemp(path));
	return cmocka_run_group_tests(tests, NULL, remove_file);
}
