/* Parts of runs, against a model that adds up node by node. */
#include "model/parts/parts.h"

#include "model/parts/parts_spread.h"
#include "model/recording/recording_open.h"
#include "parts_fixture.h"

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
		cmocka_unit_test(test_adds_up_in_any_grouping),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
