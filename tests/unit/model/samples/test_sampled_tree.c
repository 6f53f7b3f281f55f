/* Call paths of samples: what they weigh, and that shares add up. */
#include "model/samples/sampled_tree.h"

#include "model/tree/flat.h"
#include "sampled_tree_fixture.h"

static void test_a_native_program(void **state)
{
	struct sampled_fixture sampled = begin();
	uint64_t main_frame = native(PROGRAM + 0x10), work = native(PROGRAM + 0x20);

	(void)state;
	put(&sampled, KYMO_SAMPLE_REALTIME, 5, STACK(&sampled, native(LIBC + 1), main_frame, work),
	    SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 7,
	    STACK(&sampled, native(LIBC + 1), main_frame, work, native(LIBC + 0x30)),
	    SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 2, STACK(&sampled, native(LIBC + 1), main_frame),
	    SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 1,
	    STACK(&sampled, native(LIBC + 1), main_frame, native(KYMO + 5), native(LIBC + 0x40),
		  kernel(202) | 0x2040),
	    SYNTHETIC_NONE);
	/* Nothing but the C library, and nothing at all. */
	put(&sampled, KYMO_SAMPLE_REALTIME, 3, STACK(&sampled, native(LIBC + 1), native(LIBC + 2)),
	    SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 4, 0, SYNTHETIC_NONE);
	make_tree(&sampled, &plain);
	assert_paths(&sampled, "prog+0x10 15/2\n"
			       " prog+0x20 12/5\n"
			       "  libc.so.6+0x30 7/7\n"
			       " libc.so.6+0x40 1/0\n"
			       "  futex (kernel) 1/1\n"
			       "[no stack] 4/4\n"
			       "libc.so.6+0x2 3/3\n");
	assert_int_equal(sampled.tree->call_count, 6);
	end(&sampled);
}

/* The vdso is no file's: what Kymo called in it is not the program's. */
static void test_clocks_that_kymo_reads(void **state)
{
	const uint64_t vdso = native(UINT64_C(0x900000)), main_frame = native(PROGRAM + 0x10);
	struct sampled_fixture sampled = begin();

	(void)state;
	put(&sampled, KYMO_SAMPLE_REALTIME, 1,
	    STACK(&sampled, native(LIBC + 1), main_frame, native(KYMO + 5), vdso), SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 2, STACK(&sampled, native(LIBC + 1), main_frame, vdso),
	    SYNTHETIC_NONE);
	make_tree(&sampled, &plain);
	assert_paths(&sampled, "prog+0x10 3/1\n"
			       " [unknown] 2/2\n");
	end(&sampled);
}

static void test_marks_and_damage(void **state)
{
	struct sampled_fixture sampled = begin();
	uint64_t cut = kymo_frame(KYMO_FRAME_MARK, KYMO_MARK_CUT);
	uint64_t later = kymo_frame(KYMO_FRAME_MARK, 200);

	(void)state;
	put(&sampled, KYMO_SAMPLE_REALTIME, 1, STACK(&sampled, cut, native(PROGRAM + 1)),
	    SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 2, STACK(&sampled, later, python(77, 0)),
	    SYNTHETIC_NONE);
	put(&sampled, KYMO_SAMPLE_REALTIME, 4, STACK(&sampled, native(1), kernel(9999)),
	    SYNTHETIC_NONE);
	make_tree(&sampled, &plain);
	assert_paths(&sampled, "[stack is cut] 1/0\n"
			       " prog+0x1 1/1\n"
			       "[unknown mark] 2/0\n"
			       " (unknown) 2/2\n"
			       "[unknown] 4/0\n"
			       " system call 9999 (kernel) 4/4\n");
	end(&sampled);
}

/* Who waits for the GIL waits in the line that wants it, whatever that is made of. */
static void test_waits_for_the_gil(void **state)
{
	struct sampled_fixture sampled = begin();
	uint32_t code = synthetic_code(sampled.synthetic, "f", "/src/a.py", 5);
	uint32_t stack = STACK(&sampled, python(code, 0), native(EXTENSION + 1),
			       native(INTERPRETER + 7), native(LIBC + 1), kernel(202) | 0x2040);

	(void)state;
	put(&sampled, KYMO_SAMPLE_REALTIME, 2, stack, 0);
	synthetic_sample(sampled.synthetic, 0, KYMO_SAMPLE_REALTIME, KYMO_GIL_WAITED_FOR, 5 * UNIT,
			 stack, 0, SYNTHETIC_NONE);
	make_tree(&sampled, &plain);
	assert_paths(&sampled, "f 5/0\n"
			       " _multiarray.so+0x1 2/0\n"
			       "  futex (kernel) 2/2\n"
			       " [waits for the GIL] 3/3\n");
	end(&sampled);
}

static const struct calltree_metric *metric_of(const struct calltree *tree, uint32_t node,
					       enum kymo_metric metric)
{
	for (uint32_t i = 0; i < tree->metric_count; i++) {
		if (tree->metric_ids[i] == (uint32_t)metric)
			return &tree->metrics[(size_t)node * tree->metric_count + i];
	}
	return NULL;
}

static void assert_metric(const struct calltree *tree, uint32_t node, enum kymo_metric metric,
			  uint64_t count, double sum)
{
	const struct calltree_metric *found = metric_of(tree, node, metric);

	assert_non_null(found);
	assert_int_equal(found->count, count);
	assert_float_equal(found->sum, sum, 1e-6);
}

static void test_metrics(void **state)
{
	struct sampled_fixture sampled = begin();
	uint32_t a = STACK(&sampled, native(PROGRAM + 1));
	uint32_t b = STACK(&sampled, native(PROGRAM + 2));
	const struct calltree_metric *wall;

	(void)state;
	put(&sampled, KYMO_SAMPLE_REALTIME, 10, a, 10);
	put(&sampled, KYMO_SAMPLE_REALTIME, 20, a, 5);
	put(&sampled, KYMO_SAMPLE_REALTIME, 10, b, 0);
	make_tree(&sampled, &plain);
	assert_int_equal(sampled.tree->metric_count, 4);
	assert_metric(sampled.tree, 1, KYMO_METRIC_SAMPLING_WALL_CLOCK, 2, 30 * UNIT);
	assert_metric(sampled.tree, 0, KYMO_METRIC_SAMPLING_WAITING, 0, 0);
	assert_metric(sampled.tree, 1, KYMO_METRIC_SAMPLING_CPU_CLOCK, 2, 15 * UNIT);
	assert_metric(sampled.tree, 1, KYMO_METRIC_SAMPLING_PERCENT, 2, 75);
	assert_metric(sampled.tree, 2, KYMO_METRIC_SAMPLING_PERCENT, 1, 25);
	assert_metric(sampled.tree, 0, KYMO_METRIC_SAMPLING_PERCENT, 3, 100);
	wall = metric_of(sampled.tree, 1, KYMO_METRIC_SAMPLING_WALL_CLOCK);
	assert_true(wall->min == 10 * UNIT && wall->max == 20 * UNIT);
	assert_true(wall->sum_squares == 500.0 * UNIT * UNIT);
	/* (10 + 20 + 10)^2 / (10^2 + 20^2 + 10^2) */
	assert_float_equal(sampled.tree->effective_count, 1600.0 / 600, 1e-9);
	make_tree(&sampled, &(struct sampled_options){.weight = SAMPLED_BY_CPU});
	assert_paths(&sampled, "prog+0x1 15/15\nprog+0x2 0/0\n");
	end(&sampled);
}

/* CPU time that was used before a wait was found belongs to what ran. */
static void test_cpu_time_and_waits(void **state)
{
	struct sampled_fixture sampled = begin();
	uint32_t work = STACK(&sampled, native(PROGRAM + 1));
	uint32_t sleep = STACK(&sampled, native(PROGRAM + 2), kernel(230));
	struct sampled_options cpu = {.weight = SAMPLED_BY_CPU};

	(void)state;
	put(&sampled, KYMO_SAMPLE_REALTIME, 10, sleep, 4);
	put(&sampled, KYMO_SAMPLE_REALTIME, 10, work, 5);
	put(&sampled, KYMO_SAMPLE_REALTIME, 10, sleep, 3);
	make_tree(&sampled, &cpu);
	/* The last one has nothing to be carried on to. */
	assert_paths(&sampled, "prog+0x1 9/9\nprog+0x2 3/0\n clock_nanosleep (kernel) 3/3\n");
	/* What was waited stands beside it. */
	assert_metric(sampled.tree, 0, KYMO_METRIC_SAMPLING_WAITING, 2, 20 * UNIT);
	assert_metric(sampled.tree, 2, KYMO_METRIC_SAMPLING_WAITING, 2, 20 * UNIT);
	end(&sampled);
}

static void test_kinds(void **state)
{
	struct sampled_fixture sampled = begin();
	uint32_t a = STACK(&sampled, native(PROGRAM + 1));

	(void)state;
	put(&sampled, KYMO_SAMPLE_CPUTIME, 10, a, 6);
	put(&sampled, KYMO_SAMPLE_CPUTIME, 10, a, SYNTHETIC_NONE);
	synthetic_sample(sampled.synthetic, 0, KYMO_SAMPLE_OVERFLOW, 0, 30 * UNIT, a,
			 SYNTHETIC_NONE, 100 * UNIT);
	/* Without wall time, that of the processor weighs. */
	make_tree(&sampled, &plain);
	assert_paths(&sampled, "prog+0x1 16/16\n");
	assert_int_equal(sampled.tree->metric_count, 2);
	assert_int_equal(sampled.tree->metric_ids[0], KYMO_METRIC_SAMPLING_CPU_CLOCK);
	assert_int_equal(sampled.tree->metric_ids[1], KYMO_METRIC_SAMPLING_PERCENT);
	make_tree(&sampled, &(struct sampled_options){.weight = SAMPLED_BY_EVENT});
	assert_paths(&sampled, "prog+0x1 100/100\n");
	assert_int_equal(sampled.tree->nodes[1].count, 1);
	end(&sampled);
}

static void test_nothing_was_sampled(void **state)
{
	struct sampled_fixture sampled = {.synthetic = synthetic_new(0)};

	(void)state;
	synthetic_thread(sampled.synthetic, KYMO_NO_THREAD, NULL, 0);
	make_tree(&sampled, &plain);
	assert_int_equal(sampled.tree->node_count, 0);
	assert_int_equal(sampled.tree->metric_count, 1);
	assert_int_equal(sampled.tree->thread_root[0], CALLTREE_NONE);
	end(&sampled);
}

static void test_rows_have_the_metrics(void **state)
{
	static const struct rows_options options = {.thread = KYMO_NO_THREAD};
	struct sampled_fixture sampled = begin();
	struct rows *rows;

	(void)state;
	put(&sampled, KYMO_SAMPLE_REALTIME, 10, STACK(&sampled, native(PROGRAM + 1)), 10);
	put(&sampled, KYMO_SAMPLE_REALTIME, 30,
	    STACK(&sampled, native(PROGRAM + 1), native(PROGRAM + 2)), 20);
	make_tree(&sampled, &plain);
	assert_int_equal(
		rows_new((const struct calltree *const *)&sampled.tree, 1, &options, &rows),
		KYMO_OK);
	assert_int_equal(rows->count, 2);
	assert_int_equal(rows->metric_count, 4);
	assert_int_equal(rows->metric_ids[3], KYMO_METRIC_SAMPLING_PERCENT);
	assert_float_equal(rows->metrics[3].sum, 100, 1e-9);
	assert_float_equal(rows->metrics[3].self, 25, 1e-9);
	assert_float_equal(rows->metrics[4 + 3].sum, 75, 1e-9);
	rows_free(rows);
	end(&sampled);
}

/* What the samples of the weight's kind stand for together. */
static double total_of(const struct samples *samples, enum kymo_sample_kind kind, bool is_cpu)
{
	double total = 0;

	for (uint32_t thread = 0; thread < samples->recording->thread_count; thread++) {
		struct sample_position position = {0};
		struct sample sample;

		while (samples_next(samples, thread, &position, &sample)) {
			if (sample.kind == kind)
				total += is_cpu ? sample.cpu_ns : sample.wall_ns;
		}
	}
	return total;
}

static void assert_adds_up(const struct calltree *tree, double total)
{
	double self = 0, roots = 0, percent = 0, children;

	for (uint32_t i = 0; i < tree->node_count; i++) {
		const struct calltree_node *node = &tree->nodes[i];

		self += node->self_ns;
		if (node->parent == CALLTREE_NONE) {
			roots += node->sum_ns;
			percent += metric_of(tree, i, KYMO_METRIC_SAMPLING_PERCENT)->sum;
			assert_true(node->self_ns == 0); /* everything has a row */
		} else {
			assert_true(node->parent < i);
		}
		children = node->self_ns;
		for (uint32_t k = node->first_child; k != CALLTREE_NONE;
		     k = tree->nodes[k].next_sibling)
			children += tree->nodes[k].sum_ns;
		assert_float_equal(children, node->sum_ns, 1e-3);
		assert_true(node->self_ns >= 0 && node->self_ns <= node->sum_ns);
		assert_true(node->region < tree->recording->region_count);
	}
	assert_float_equal(self, total, 1e-2);
	assert_float_equal(roots, total, 1e-2);
	assert_float_equal(percent, 100, 1e-6);
}

static void test_shares_add_up(void **state)
{
	(void)state;
	for (uint64_t seed = 1; seed <= 60; seed++) {
		struct sampled_fixture sampled =
			random_samples(seed * UINT64_C(0x9e3779b97f4a7c15));
		struct sampled_options options = {
			.keeps_internal = seed % 2,
			.has_lines = seed / 2 % 2,
			.has_inlines = seed / 4 % 2,
		};

		make_tree(&sampled, &options);
		assert_adds_up(sampled.tree,
			       total_of(sampled.samples, KYMO_SAMPLE_REALTIME, false));
		options.weight = SAMPLED_BY_CPU;
		make_tree(&sampled, &options);
		assert_adds_up(sampled.tree, total_of(sampled.samples, KYMO_SAMPLE_CPUTIME, true));
		end(&sampled);
	}
}

/* The same samples of two threads, whose numbers and whose stacks' ids depend on is_turned. */
static struct sampled_fixture turned_samples(bool is_turned)
{
	enum { FUNCTIONS = 5, SAMPLES = 400 };
	struct sampled_fixture sampled = {.synthetic = synthetic_new(KYMO_HEADER_SAMPLES)};
	uint64_t seed = UINT64_C(0x9e3779b97f4a7c15);
	uint32_t codes[FUNCTIONS];

	for (uint32_t i = 0; i < FUNCTIONS; i++)
		codes[i] = synthetic_code(sampled.synthetic, (const char[]){(char)('a' + i), 0},
					  "/src/a.py", i + 1);
	for (uint32_t thread = 0; thread < 2; thread++) {
		synthetic_thread(sampled.synthetic, KYMO_NO_THREAD, NULL, 0);
		synthetic_sample(sampled.synthetic, thread, KYMO_SAMPLE_BEGIN, 0, 0, 0,
				 SYNTHETIC_NONE, SYNTHETIC_NONE);
		for (uint32_t i = 0; i < FUNCTIONS; i++) /* other ids */
			synthetic_stack(sampled.synthetic, thread, 0,
					python(codes[is_turned ? FUNCTIONS - 1 - i : i], 0));
	}
	for (uint64_t i = 1; i <= SAMPLES; i++) {
		uint32_t thread = (next_random(&seed) % 2) ^ (uint32_t)is_turned, stack = 0;

		for (uint64_t depth = 1 + next_random(&seed) % 4; depth > 0; depth--)
			stack = synthetic_stack(sampled.synthetic, thread, stack,
						python(codes[next_random(&seed) % FUNCTIONS], 0));
		synthetic_sample(sampled.synthetic, thread, KYMO_SAMPLE_REALTIME, 0, i * 7 * UNIT,
				 stack, SYNTHETIC_NONE, SYNTHETIC_NONE);
	}
	sampled.time = 7 * SAMPLES;
	return sampled;
}

static void test_order_does_not_matter(void **state)
{
	struct sampled_fixture one = turned_samples(false), other = turned_samples(true);
	struct flat *flat, *other_flat;

	(void)state;
	make_tree(&one, &plain);
	make_tree(&other, &plain);
	assert_int_equal(flat_new(one.tree, NULL, &flat), KYMO_OK);
	assert_int_equal(flat_new(other.tree, NULL, &other_flat), KYMO_OK);
	assert_int_equal(flat->row_count, other_flat->row_count);
	assert_int_equal(one.tree->node_count, other.tree->node_count);
	for (uint32_t i = 0; i < flat->row_count; i++) {
		const char *name = one.recording->regions[flat->rows[i].region].name;
		uint32_t k = 0;

		while (strcmp(other.recording->regions[other_flat->rows[k].region].name, name) != 0)
			assert_true(++k < other_flat->row_count);
		assert_int_equal(flat->rows[i].count, other_flat->rows[k].count);
		assert_float_equal(flat->rows[i].self_ns, other_flat->rows[k].self_ns, 1e-3);
		assert_float_equal(flat->rows[i].total_ns, other_flat->rows[k].total_ns, 1e-3);
	}
	assert_float_equal(one.tree->effective_count, other.tree->effective_count, 1e-6);
	flat_free(flat);
	flat_free(other_flat);
	end(&one);
	end(&other);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_native_program),
		cmocka_unit_test(test_clocks_that_kymo_reads),
		cmocka_unit_test(test_marks_and_damage),
		cmocka_unit_test(test_waits_for_the_gil),
		cmocka_unit_test(test_metrics),
		cmocka_unit_test(test_cpu_time_and_waits),
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_nothing_was_sampled),
		cmocka_unit_test(test_rows_have_the_metrics),
		cmocka_unit_test(test_shares_add_up),
		cmocka_unit_test(test_order_does_not_matter),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
