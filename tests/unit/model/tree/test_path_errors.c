/* Errors of times of call paths, of trees made by hand: their ticks are nanoseconds. */
#include "model/tree/path_errors.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "model/recording/recording.h"
#include "model/samples/sampled_kinds.h"
#include "model/tree/calltree.h"

#define SAMPLES 100
#define WEIGHT	1000

struct run { /* one process of two threads */
	struct recording recording;
	struct calltree tree;
	struct calltree_node nodes[2];
	uint32_t roots[2];
	struct calltree_positions positions[2];
};

static void run_init(struct run *run)
{
	*run = (struct run){.recording = {.thread_count = 2}, .roots = {0, 1}};
	run->recording.header.clock_kind = KYMO_CLOCK_MONOTONIC;
	run->recording.header.pair_count = 1;
	for (int i = 0; i < 2; i++) {
		run->nodes[i].sum_ns = SAMPLES * WEIGHT;
		run->positions[i] = (struct calltree_positions){
			.count = SAMPLES,
			.ticks = SAMPLES * WEIGHT,
			.squares = (double)SAMPLES * WEIGHT * WEIGHT,
		};
	}
	run->tree = (struct calltree){.recording = &run->recording,
				      .nodes = run->nodes,
				      .node_count = 2,
				      .thread_root = run->roots,
				      .positions = run->positions};
}

static struct path_errors errors_of(const struct run *run, uint32_t thread)
{
	const struct calltree *tree = &run->tree;

	return path_errors_of(&tree, 1, thread);
}

static void all_threads_are_pooled(void **state)
{
	struct run run;
	struct path_errors errors;
	struct sampled_share share;

	(void)state;
	run_init(&run);
	errors = errors_of(&run, KYMO_NO_THREAD);
	share = sampled_interval(0.25, 0.9 * 2 * SAMPLES);
	assert_true(errors.is_known);
	assert_float_equal(errors.whole_ns, 2 * SAMPLES * WEIGHT, 1e-6);
	assert_float_equal(path_errors_low(&errors, 0.25 * errors.whole_ns),
			   share.low * errors.whole_ns, 1e-3);
	assert_float_equal(path_errors_high(&errors, 0.25 * errors.whole_ns),
			   share.high * errors.whole_ns, 1e-3);
	assert_float_equal(path_errors_off(&errors, 0.25 * errors.whole_ns),
			   (share.high - 0.25) * errors.whole_ns, 1e-3);
	errors = errors_of(&run, 1);
	assert_float_equal(errors.whole_ns, SAMPLES * WEIGHT, 1e-6);
	assert_float_equal(errors.effective_count, 0.9 * SAMPLES, 1e-6);
}

static void an_unseen_thread_may_have_been_anywhere(void **state)
{
	struct run run;
	struct path_errors errors;

	(void)state;
	run_init(&run);
	run.positions[1] = (struct calltree_positions){0};
	run.nodes[1].sum_ns = 500;
	errors = errors_of(&run, KYMO_NO_THREAD);
	assert_true(path_errors_high(&errors, 0) >= 500);
	errors = errors_of(&run, 1);
	assert_float_equal(path_errors_low(&errors, 500), 0, 1e-9);
	assert_float_equal(path_errors_high(&errors, 0), 500, 1e-9);
	assert_float_equal(path_errors_high(&errors, 500), 500, 1e-9);
}

static void timed_calls_have_none(void **state)
{
	struct run run;

	(void)state;
	run_init(&run);
	run.tree.positions = NULL;
	assert_false(errors_of(&run, KYMO_NO_THREAD).is_known);
	assert_false(path_errors_of(NULL, 0, KYMO_NO_THREAD).is_known);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_threads_are_pooled),
		cmocka_unit_test(an_unseen_thread_may_have_been_anywhere),
		cmocka_unit_test(timed_calls_have_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
