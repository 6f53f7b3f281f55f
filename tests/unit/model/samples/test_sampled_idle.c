/* Threads with nothing to do. */
#include "model/samples/sampled_idle.h"

#include "sampled_tree_fixture.h"

/* A sample of another thread than the first. */
static void put_of(struct sampled_fixture *sampled, uint32_t thread, uint64_t frame, uint64_t units,
		   uint64_t cpu_units)
{
	uint32_t stack = synthetic_stack(sampled->synthetic, thread, 0, native(PROGRAM + thread));

	stack = synthetic_stack(sampled->synthetic, thread, stack, frame);
	sampled->time += units;
	synthetic_sample(sampled->synthetic, thread, KYMO_SAMPLE_REALTIME, KYMO_GIL_UNKNOWN,
			 sampled->time * UNIT, stack, cpu_units * UNIT, SYNTHETIC_NONE);
}

static uint32_t start_thread(struct sampled_fixture *sampled)
{
	uint32_t thread = synthetic_thread(sampled->synthetic, 0, NULL, 0);

	synthetic_sample(sampled->synthetic, thread, KYMO_SAMPLE_BEGIN, 0, 0, 0, SYNTHETIC_NONE,
			 SYNTHETIC_NONE);
	return thread;
}

static const struct region *outermost(const struct sampled_fixture *sampled, uint32_t thread)
{
	const struct calltree *tree = sampled->tree;
	uint32_t root = tree->thread_root[thread];

	return &sampled->recording->regions[tree->nodes[tree->nodes[root].first_child].region];
}

/* Threads that never left their wait are one row where CPU time counts; the first thread, and what
 * ran, are what they are. */
static void test_idle_threads(void **state)
{
	struct sampled_fixture sampled = begin();
	uint32_t idle = start_thread(&sampled), worker = start_thread(&sampled);
	const struct calltree_node *node;

	(void)state;
	put(&sampled, KYMO_SAMPLE_REALTIME, 100, STACK(&sampled, native(PROGRAM), kernel(230)), 0);
	put_of(&sampled, idle, kernel(230), 100, 1);
	put_of(&sampled, worker, native(PROGRAM + 9), 100, 60);
	put_of(&sampled, worker, kernel(230), 100, 2);
	make_tree(&sampled, &(struct sampled_options){.weight = SAMPLED_BY_CPU});
	assert_int_equal(sampled.tree->idle_thread_count, 1);
	assert_string_equal(outermost(&sampled, 0)->name, "prog+0x0");
	assert_string_equal(outermost(&sampled, idle)->name, SAMPLED_IDLE_THREADS);
	assert_string_equal(outermost(&sampled, worker)->name, "prog+0x2");
	node = &sampled.tree->nodes[sampled.tree->thread_root[idle]];
	assert_int_equal(sampled.tree->nodes[node->first_child].first_child, CALLTREE_NONE);
	assert_int_equal(node->sum_ns, 1 * UNIT);
	/* By the clock, and with all frames, they are what they are, too. */
	make_tree(&sampled, &plain);
	assert_int_equal(sampled.tree->idle_thread_count, 0);
	assert_string_equal(outermost(&sampled, idle)->name, "prog+0x1");
	make_tree(&sampled,
		  &(struct sampled_options){.weight = SAMPLED_BY_CPU, .keeps_internal = true});
	assert_int_equal(sampled.tree->idle_thread_count, 0);
	end(&sampled);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_idle_threads),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
