/* Which calls are too short for their times to be sure. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/functions/short_calls.h"
#include "model/recording/recording.h"
#include "model/tree/calltree.h"

enum { ROOT, LEAF, USER };

static struct region regions[] = {
	[ROOT] = {.kind = KYMO_REGION_ROOT},
	[LEAF] = {.kind = KYMO_REGION_NATIVE},
	[USER] = {.kind = KYMO_REGION_USER},
};
static struct recording recording;
static struct calltree_node node;
static struct calltree tree;

/* A tree of one node, of so many calls that take so long together. */
static double of_calls(uint32_t region, uint64_t count, double sum_ns)
{
	static char functions; /* nothing is looked up in them */

	recording = (struct recording){.regions = regions, .functions = (void *)&functions};
	node = (struct calltree_node){
		.region = region, .count = count, .sum_ns = sum_ns, .self_ns = sum_ns / 2};
	tree = (struct calltree){.recording = &recording, .nodes = &node, .node_count = 1};
	return short_calls_ns(&tree);
}

static void test_short_calls_count_with_their_own_time(void **state)
{
	(void)state;
	assert_true(of_calls(LEAF, SHORT_CALLS_LEAST, 50.0 * SHORT_CALLS_LEAST) ==
		    25.0 * SHORT_CALLS_LEAST);
}

static void test_others_do_not(void **state)
{
	(void)state;
	assert_true(of_calls(LEAF, SHORT_CALLS_LEAST, SHORT_CALL_NS * SHORT_CALLS_LEAST) == 0);
	assert_true(of_calls(LEAF, SHORT_CALLS_LEAST - 1, 50.0 * SHORT_CALLS_LEAST) == 0);
	assert_true(of_calls(USER, SHORT_CALLS_LEAST, 50.0 * SHORT_CALLS_LEAST) == 0);
}

static void test_estimates_say_it_themselves(void **state)
{
	(void)state;
	of_calls(LEAF, SHORT_CALLS_LEAST, 50.0 * SHORT_CALLS_LEAST);
	tree.estimated_functions = 1;
	assert_true(short_calls_ns(&tree) == 0);
	tree.estimated_functions = 0;
	node.is_count_estimated = true;
	assert_true(short_calls_ns(&tree) == 0);
	recording.functions = NULL;
	node.is_count_estimated = false;
	assert_true(short_calls_ns(&tree) == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_short_calls_count_with_their_own_time),
		cmocka_unit_test(test_others_do_not),
		cmocka_unit_test(test_estimates_say_it_themselves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
