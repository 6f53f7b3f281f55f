/* Parts of runs: against a model that adds up node by node, and by hand. */
#include "model/parts/parts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/profile/flat_view.h"
#include "synthetic.h"

#define PROCESSES_MAX 64

struct fixture {
	size_t count;
	struct synthetic *made[PROCESSES_MAX];
	struct recording *recordings[PROCESSES_MAX];
	const struct calltree *trees[PROCESSES_MAX];
	const char *paths[PROCESSES_MAX]; /* of the recordings, NULL = none */
	struct run run;
	struct loaded_run loaded;
	struct region_union *regions;
	struct parts *parts;
};

static void add_process(struct fixture *fixture, struct synthetic *process, uint32_t pid,
			const char *rank)
{
	synthetic_header(process)->pid = pid;
	if (rank)
		synthetic_note(process, KYMO_NOTE_INFO, "rank", rank);
	synthetic_note(process, KYMO_NOTE_INFO, "program", "worker");
	fixture->made[fixture->count++] = process;
}

static void set_up(struct fixture *fixture)
{
	struct problem problem;

	for (size_t i = 0; i < fixture->count; i++) {
		struct calltree *tree;

		fixture->recordings[i] = synthetic_open(fixture->made[i]);
		if (fixture->paths[i]) {
			free(fixture->recordings[i]->path);
			fixture->recordings[i]->path = strdup(fixture->paths[i]);
		}
		assert_int_equal(calltree_new(fixture->recordings[i], &tree, NULL), KYMO_OK);
		fixture->trees[i] = tree;
	}
	fixture->run = (struct run){.path = (char *)"kymo-run",
				    .recordings = fixture->recordings,
				    .recording_count = fixture->count};
	fixture->loaded = (struct loaded_run){
		.run = &fixture->run, .trees = fixture->trees, .tree_count = fixture->count};
	assert_int_equal(region_union_new(fixture->trees, fixture->count, &fixture->regions),
			 KYMO_OK);
	assert_int_equal(parts_new(&fixture->loaded, fixture->regions, &fixture->parts, &problem),
			 KYMO_OK);
}

static void tear_down(struct fixture *fixture)
{
	parts_free(fixture->parts);
	region_union_free(fixture->regions);
	for (size_t i = 0; i < fixture->count; i++) {
		calltree_free((struct calltree *)fixture->trees[i]);
		recording_free(fixture->recordings[i]);
		synthetic_free(fixture->made[i]);
	}
}

static uint32_t region_called(const struct fixture *fixture, const char *name)
{
	for (uint32_t i = 0; i < fixture->regions->count; i++)
		if (strcmp(fixture->regions->regions[i]->name, name) == 0)
			return i;
	fail_msg("no region '%s'", name);
	return 0;
}

/* One thread that is in "work" for that long, all of it in recursion. */
static struct synthetic *make_worker(uint64_t work_ns)
{
	struct synthetic *process = synthetic_new(KYMO_HEADER_PROFILE);
	uint32_t work = synthetic_region(process, KYMO_REGION_PYTHON, "work");

	synthetic_thread(process, KYMO_NO_THREAD, "MainThread", 0);
	if (work_ns > 0) {
		synthetic_enter(process, 0, work, 0);
		synthetic_enter(process, 0, work, 0);
		synthetic_leave(process, 0, work, work_ns);
		synthetic_leave(process, 0, work, work_ns);
	}
	synthetic_close(process, 1000);
	return process;
}

static void assert_named(const struct fixture *fixture, enum parts_by by, size_t group,
			 const char *expected)
{
	char name[64];

	parts_group_name(fixture->parts, by, group, name, sizeof(name));
	assert_string_equal(name, expected);
}

static void test_ranks_in_order(void **state)
{
	struct fixture fixture = {0};

	(void)state;
	add_process(&fixture, make_worker(100), 50, "10");
	add_process(&fixture, make_worker(0), 60, NULL);
	add_process(&fixture, make_worker(300), 70, "2");
	set_up(&fixture);
	assert_int_equal(fixture.parts->count, 3);
	assert_int_equal(fixture.parts->rank_count, 2);
	assert_int_equal(fixture.parts->process_count, 3);
	assert_int_equal(fixture.parts->run_count, 1);
	assert_int_equal(parts_group_count(fixture.parts, PARTS_BY_RANK), 3);
	assert_named(&fixture, PARTS_BY_RANK, 0, "rank 2");
	assert_named(&fixture, PARTS_BY_RANK, 1, "rank 10");
	assert_named(&fixture, PARTS_BY_RANK, 2, "no rank");
	assert_named(&fixture, PARTS_BY_PROCESS, 0, "rank 2, worker 70");
	assert_named(&fixture, PARTS_BY_PROCESS, 2, "worker 60");
	assert_named(&fixture, PARTS_BY_THREAD, 1, "rank 10, worker 50, thread 0 (MainThread)");
	assert_named(&fixture, PARTS_BY_RUN, 0, "kymo-run");
	assert_int_equal(parts_by_default(fixture.parts), PARTS_BY_RANK);
	tear_down(&fixture);
}

static void assert_run_names(const char *const paths[2], const char *first, const char *second)
{
	struct fixture fixture = {.paths = {paths[0], paths[1]}};

	add_process(&fixture, make_worker(100), 50, NULL);
	add_process(&fixture, make_worker(100), 51, NULL);
	set_up(&fixture);
	assert_int_equal(fixture.parts->run_count, 2);
	assert_named(&fixture, PARTS_BY_RUN, 0, first);
	assert_named(&fixture, PARTS_BY_RUN, 1, second);
	tear_down(&fixture);
}

/* By what tells them apart, with as little else as can be. */
static void test_names_of_runs(void **state)
{
	(void)state;
	assert_run_names((const char *const[]){"a/2026_10.00/x.kymo", "b/2026_10.00/x.kymo"}, "a",
			 "b");
	assert_run_names((const char *const[]){"out/2026_10.00/x.kymo", "out/2026_10.01/y.kymo"},
			 "2026_10.00", "2026_10.01");
	assert_run_names((const char *const[]){"/t/a/1/x.kymo", "/t/b/2/x.kymo"}, "a/1", "b/2");
	assert_run_names((const char *const[]){"a/x.kymo", "ab/x.kymo"}, "a", "ab");
	assert_run_names((const char *const[]){"a/b/b/x.kymo", "a/b/x.kymo"}, "b", "b/b");
}

static void test_names_of_a_single_process(void **state)
{
	struct fixture fixture = {0};

	(void)state;
	add_process(&fixture, make_worker(100), 50, NULL);
	set_up(&fixture);
	assert_int_equal(fixture.parts->rank_count, 0);
	assert_named(&fixture, PARTS_BY_THREAD, 0, "thread 0 (MainThread)");
	assert_named(&fixture, PARTS_BY_RANK, 0, "no rank");
	assert_int_equal(parts_by_default(fixture.parts), PARTS_BY_THREAD);
	tear_down(&fixture);
}

static void test_name_that_is_cut(void **state)
{
	struct fixture fixture = {0};
	char name[8];

	(void)state;
	add_process(&fixture, make_worker(100), 50, "1");
	add_process(&fixture, make_worker(100), 51, "2");
	set_up(&fixture);
	for (int by = 0; by < PARTS_BY_COUNT; by++) {
		parts_group_name(fixture.parts, (enum parts_by)by, 0, name, sizeof(name));
		assert_true(strlen(name) < sizeof(name));
	}
	tear_down(&fixture);
}

static void test_spread_by_hand(void **state)
{
	struct fixture fixture = {0};
	struct parts_spread spread;

	(void)state;
	add_process(&fixture, make_worker(100), 1, "0");
	add_process(&fixture, make_worker(0), 2, "1");
	add_process(&fixture, make_worker(300), 3, "2");
	add_process(&fixture, make_worker(200), 4, "3");
	set_up(&fixture);
	assert_int_equal(parts_spread_new(fixture.parts, region_called(&fixture, "work"),
					  PARTS_BY_RANK, true, &spread),
			 KYMO_OK);
	assert_int_equal(spread.count, 4);
	assert_true(spread.sum == 600 && spread.min == 0 && spread.max == 300);
	assert_true(spread.mean == 150 && spread.median == 150);
	assert_int_equal(spread.min_at, 1);
	assert_int_equal(spread.max_at, 2);
	assert_float_equal(spread.imbalance, 1, 1e-12);
	assert_float_equal(spread.deviation, 129.0994, 1e-4);
	/* t(0.975; 3) = 3.1824, over the root of 4 values */
	assert_float_equal(spread.high - spread.mean, 3.1824 * 129.0994 / 2, 0.01);
	assert_float_equal(spread.mean - spread.low, 3.1824 * 129.0994 / 2, 0.01);
	parts_spread_release(&spread);
	tear_down(&fixture);
}

static void test_spread_of_one(void **state)
{
	struct fixture fixture = {0};
	struct parts_spread spread;

	(void)state;
	add_process(&fixture, make_worker(100), 1, NULL);
	set_up(&fixture);
	assert_int_equal(parts_spread_new(fixture.parts, region_called(&fixture, "work"),
					  PARTS_BY_RUN, true, &spread),
			 KYMO_OK);
	assert_int_equal(spread.count, 1);
	assert_true(isnan(spread.low) && isnan(spread.high));
	assert_true(spread.deviation == 0 && spread.imbalance == 0 && spread.median == 100);
	parts_spread_release(&spread);
	tear_down(&fixture);
}

/* The launcher is no rank that does no work; where it works, its time is not lost. */
static void test_what_has_no_rank(void **state)
{
	for (uint64_t launcher_ns = 0; launcher_ns <= 50; launcher_ns += 50) {
		struct fixture fixture = {0};
		struct parts_spread spread;

		(void)state;
		add_process(&fixture, make_worker(100), 1, "0");
		add_process(&fixture, make_worker(100), 2, "1");
		add_process(&fixture, make_worker(launcher_ns), 3, NULL);
		set_up(&fixture);
		assert_int_equal(parts_spread_new(fixture.parts, region_called(&fixture, "work"),
						  PARTS_BY_RANK, true, &spread),
				 KYMO_OK);
		assert_int_equal(spread.count, launcher_ns ? 3 : 2);
		assert_true(spread.sum == 200 + (double)launcher_ns);
		assert_int_equal(parts_spread_ranked(fixture.parts, &spread), KYMO_OK);
		assert_int_equal(spread.count, 2);
		assert_true(spread.sum == 200 && spread.mean == 100 && spread.min == 100);
		parts_spread_release(&spread);
		tear_down(&fixture);
	}
}

static uint32_t random_below(uint32_t *seed, uint32_t limit)
{
	*seed = *seed * 1664525u + 1013904223u;
	return (*seed >> 8) % limit;
}

static void random_thread(struct synthetic *process, uint32_t thread, uint32_t region_count,
			  uint32_t *seed)
{
	uint32_t open[16], depth = 0;
	uint64_t now = 10;

	for (int i = 0; i < 200; i++) {
		now += random_below(seed, 50);
		if (depth == 16 || (depth > 0 && random_below(seed, 2) == 0)) {
			synthetic_leave(process, thread, open[--depth], now);
		} else {
			open[depth] = 1 + random_below(seed, region_count);
			synthetic_enter(process, thread, open[depth++], now);
		}
	}
	while (depth > 0)
		synthetic_leave(process, thread, open[--depth], ++now);
}

/* Regions are numbered differently in each process, and two of each are equal. */
static struct synthetic *random_process(uint32_t *seed)
{
	struct synthetic *process = synthetic_new(KYMO_HEADER_PROFILE);
	uint32_t first = random_below(seed, 6), threads = 1 + random_below(seed, 3);
	char name[16];

	for (uint32_t i = 0; i < 8; i++) {
		snprintf(name, sizeof(name), "f%u", (first + i) % 7);
		synthetic_region(process, KYMO_REGION_PYTHON, name);
	}
	for (uint32_t i = 0; i < threads; i++) {
		synthetic_thread(process, i ? 0 : KYMO_NO_THREAD, NULL, 0);
		random_thread(process, i, 8, seed);
	}
	synthetic_close(process, 100000);
	return process;
}

static double spread_sum(const struct fixture *fixture, uint32_t region, enum parts_by by,
			 bool is_total)
{
	struct parts_spread spread;
	double sum = 0;

	assert_int_equal(parts_spread_new(fixture->parts, region, by, is_total, &spread), KYMO_OK);
	for (size_t i = 0; i < spread.count; i++)
		sum += spread.values[i];
	assert_float_equal(sum, spread.sum, 1e-6);
	parts_spread_release(&spread);
	return sum;
}

static void assert_adds_up(const struct fixture *fixture)
{
	struct flat_view *view;
	size_t share_count = 0;

	assert_int_equal(flat_view_new(fixture->trees, fixture->count, fixture->regions,
				       KYMO_NO_THREAD, &view),
			 KYMO_OK);
	for (size_t i = 0; i < view->count; i++) {
		const struct flat_entry *entry = &view->entries[i];
		const struct parts *parts = fixture->parts;
		uint64_t calls = 0;

		for (int by = 0; by < PARTS_BY_COUNT; by++) {
			assert_float_equal(
				spread_sum(fixture, entry->region, (enum parts_by)by, true),
				entry->total_ns, 1e-6);
			assert_float_equal(
				spread_sum(fixture, entry->region, (enum parts_by)by, false),
				entry->self_ns, 1e-6);
		}
		for (size_t k = parts->first[entry->region]; k < parts->first[entry->region + 1];
		     k++) {
			calls += parts->shares[k].count;
			share_count++;
			assert_true(k == parts->first[entry->region] ||
				    parts->shares[k - 1].part < parts->shares[k].part);
		}
		assert_int_equal(calls, entry->calls);
	}
	assert_int_equal(share_count, fixture->parts->first[fixture->regions->count]);
	flat_view_free(view);
}

/* Straight from the nodes: a visit counts in full when no ancestor is of its region. */
static double model_total(const struct fixture *fixture, uint32_t region, const char *rank)
{
	double sum = 0;

	for (size_t i = 0; i < fixture->count; i++) {
		const struct calltree *tree = fixture->trees[i];
		const char *own = recording_note(tree->recording, KYMO_NOTE_INFO, "rank");

		for (uint32_t k = 0; own && strcmp(own, rank) == 0 && k < tree->node_count; k++) {
			uint32_t id = tree->nodes[k].region, up = tree->nodes[k].parent;

			if (region == fixture->regions->outside && up == CALLTREE_NONE)
				sum += tree->nodes[k].self_ns;
			if (region_union_number(fixture->regions, i, id) != region)
				continue;
			while (up != CALLTREE_NONE && tree->nodes[up].region != id)
				up = tree->nodes[up].parent;
			sum += up == CALLTREE_NONE ? tree->nodes[k].sum_ns : 0;
		}
	}
	return sum;
}

static void assert_as_model(const struct fixture *fixture)
{
	static const char *const ranks[] = {"0", "1", "2"};
	struct parts_spread spread;

	for (uint32_t region = 1; region < fixture->regions->count; region++) {
		assert_int_equal(
			parts_spread_new(fixture->parts, region, PARTS_BY_RANK, true, &spread),
			KYMO_OK);
		for (size_t i = 0; i < fixture->parts->rank_count; i++)
			assert_float_equal(spread.values[i], model_total(fixture, region, ranks[i]),
					   1e-6);
		parts_spread_release(&spread);
	}
}

static void test_adds_up_in_any_grouping(void **state)
{
	static const char *const ranks[] = {"0", "1", "2", NULL, "2"};
	uint32_t seed = 7;

	(void)state;
	for (int round = 0; round < 20; round++) {
		struct fixture fixture = {0};

		for (uint32_t i = 0; i < 5; i++)
			add_process(&fixture, random_process(&seed), 100 + i, ranks[i]);
		set_up(&fixture);
		assert_adds_up(&fixture);
		assert_as_model(&fixture);
		tear_down(&fixture);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ranks_in_order),
		cmocka_unit_test(test_names_of_runs),
		cmocka_unit_test(test_names_of_a_single_process),
		cmocka_unit_test(test_name_that_is_cut),
		cmocka_unit_test(test_spread_by_hand),
		cmocka_unit_test(test_spread_of_one),
		cmocka_unit_test(test_what_has_no_rank),
		cmocka_unit_test(test_adds_up_in_any_grouping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
