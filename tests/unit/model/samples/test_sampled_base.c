/* What shares of samples are of: CPU time where there is some, else all time. */
#include "model/samples/sampled_base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "sampled_fixture.h"

static enum sampled_by choose(const struct samples *samples)
{
	struct sampled_base base = {0};

	sampled_base_add(&base, samples);
	return sampled_base_choose(&base);
}

/* A thread that sleeps, and computes for a part of the time. */
static struct sampled_fixture sleeper(uint64_t busy_units)
{
	struct sampled_fixture sampled = begin();

	put(&sampled, KYMO_SAMPLE_REALTIME, 1000 - busy_units,
	    STACK(&sampled, native(PROGRAM + 1), kernel(230)), 0);
	put(&sampled, KYMO_SAMPLE_REALTIME, busy_units, STACK(&sampled, native(PROGRAM + 2)),
	    busy_units);
	open_samples(&sampled);
	return sampled;
}

static void test_cpu_time_where_there_is_some(void **state)
{
	struct sampled_fixture busy = sleeper(60), idle = sleeper(40);

	(void)state;
	assert_int_equal(choose(busy.samples), SAMPLED_BY_CPU);
	assert_int_equal(choose(idle.samples), SAMPLED_BY_WALL);
	end(&busy);
	end(&idle);
}

static void test_unknown_cpu_time(void **state)
{
	struct sampled_fixture sampled = begin();

	(void)state;
	put(&sampled, KYMO_SAMPLE_REALTIME, 10, STACK(&sampled, native(PROGRAM + 1)),
	    SYNTHETIC_NONE);
	open_samples(&sampled);
	assert_int_equal(choose(sampled.samples), SAMPLED_BY_WALL);
	end(&sampled);
}

static void test_calls_beside_samples(void **state)
{
	struct sampled_fixture busy = sleeper(60);
	struct calltree calls = {.recording = busy.recording, .call_count = 1};
	struct sampled_base base = {0};

	(void)state;
	sampled_base_add(&base, busy.samples);
	sampled_base_add_tree(&base, &calls);
	assert_int_equal(sampled_base_choose(&base), SAMPLED_BY_WALL);
	end(&busy);
}

/* A tree that a merged recording keeps: its metrics are all that is left of the samples. */
static void test_a_tree_is_weighed_anew(void **state)
{
	struct sampled_fixture busy = sleeper(60);
	struct sampled_base base = {0};
	struct calltree *tree;

	(void)state;
	make_tree(&busy, &plain);
	tree = busy.tree;
	busy.recording->header.flags |= KYMO_HEADER_SAMPLED;
	sampled_base_add_tree(&base, tree);
	assert_int_equal(sampled_base_choose(&base), SAMPLED_BY_CPU);
	sampled_base_weigh(tree, SAMPLED_BY_WALL);
	assert_float_equal(tree->nodes[0].sum_ns, 1000 * UNIT, 1e-3);
	sampled_base_weigh(tree, SAMPLED_BY_CPU);
	assert_float_equal(tree->nodes[0].sum_ns, 60 * UNIT, 1e-3);
	assert_float_equal(tree->nodes[0].self_ns, 0, 1e-3);
	assert_float_equal(tree->effective_count, 1, 1e-9);
	end(&busy);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu_time_where_there_is_some),
		cmocka_unit_test(test_unknown_cpu_time),
		cmocka_unit_test(test_calls_beside_samples),
		cmocka_unit_test(test_a_tree_is_weighed_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
