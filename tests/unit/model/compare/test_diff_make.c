/* Two sides compared: what must hold of any, and what chance is. */
#include "model/compare/diff.h"

#include "diff_run_fixture.h"
#include "model/compare/diff_make.h"

static void test_with_itself(void **state)
{
	struct model *model = calloc(1, sizeof(*model));
	struct diff_judgement judgements[NAMES];
	struct made_run *run;
	struct made_diff made;

	(void)state;
	assert_non_null(model);
	random_state = 4711;
	run = random_run(model, false);
	made_compare(&made, &run, 1, &run, 1);
	assert_true(made.diff->region_count <= NAMES);
	assert_true(diff_judge(made.diff, DIFF_SELF, NULL, 0, judgements));
	for (uint32_t i = 0; i < made.diff->region_count; i++) {
		const struct diff_region *region = &made.diff->regions[i];

		assert_memory_equal(&region->value[DIFF_BEFORE], &region->value[DIFF_AFTER],
				    sizeof(region->value[0]));
		assert_int_equal(judgements[i].verdict, DIFF_SAME);
		assert_int_equal(region->match, DIFF_BY_IDENTITY);
	}
	assert_null(made.diff->warning);
	diff_free(made.diff);
	made_free(run);
	free(model);
}

/* A run in which "steady" and "changed" take so long. */
static struct made_run *two_regions(uint64_t steady_ns, uint64_t changed_ns)
{
	struct made_run *made = made_begin();
	uint32_t steady = made_region(made, "steady", "/p/x.py", 1);
	uint32_t changed = made_region(made, "changed", "/p/x.py", 9);
	uint64_t time = 0;

	made_visit(made, steady, &time, steady_ns);
	made_visit(made, changed, &time, changed_ns);
	made_end(made, time);
	return made;
}

static void test_repeats(void **state)
{
	struct made_run *before[] = {two_regions(1000, 500), two_regions(1100, 510),
				     two_regions(900, 490)};
	struct made_run *after[] = {two_regions(1110, 600), two_regions(890, 610)};
	struct diff_judgement judgements[2];
	const struct diff_region *changed;
	struct made_diff made;

	(void)state;
	made_compare(&made, before, 3, after, 2);
	assert_true(made.diff->has_repeats);
	assert_int_equal(made.diff->side[DIFF_BEFORE].run_count, 3);
	assert_int_equal(made.diff->side[DIFF_AFTER].run_count, 2);
	assert_near(made.diff->side[DIFF_BEFORE].duration.mean, 1500);
	changed = made_find(made.diff, DIFF_AFTER, "changed");
	assert_near(changed->value[DIFF_BEFORE].self_ns, 500);
	assert_near(changed->value[DIFF_AFTER].self_ns, 605);
	assert_near(changed->value[DIFF_AFTER].count, 1);
	assert_near(moments_deviation(&changed->self[DIFF_BEFORE]), 10);
	assert_true(diff_judge(made.diff, DIFF_SELF, NULL, 0, judgements));
	assert_int_equal(judgements[changed - made.diff->regions].verdict, DIFF_SLOWER);
	assert_true(judgements[changed - made.diff->regions].p < 0.01);
	assert_int_equal(judgements[!(changed - made.diff->regions)].verdict, DIFF_SAME);
	assert_true(judgements[!(changed - made.diff->regions)].p > 0.9);
	diff_free(made.diff);
	for (size_t i = 0; i < 3; i++)
		made_free(before[i]);
	made_free(after[0]);
	made_free(after[1]);
}

/* Without repeats no difference of times is sure, however large; calls that differ do. */
static void test_single_pair(void **state)
{
	struct made_run *runs[2];
	struct diff_judgement judgements[8];
	struct made_diff made;

	(void)state;
	for (uint64_t k = 0; k < 2; k++) {
		static const uint64_t more[] = {0, 20, 30, 30, 30, 40, 400};
		uint64_t time = 0;

		runs[k] = made_begin();
		for (uint32_t i = 0; i < 7; i++) {
			char name[] = {(char)('a' + i), '\0'};

			made_visit(runs[k], made_region(runs[k], name, "/p/x.py", i), &time,
				   1000 + k * more[i]);
			if (k == 1 && i == 6)
				made_visit(runs[k], made_region(runs[k], name, "/p/x.py", i), &time,
					   1);
		}
		made_end(runs[k], time);
	}
	made_compare(&made, &runs[0], 1, &runs[1], 1);
	assert_false(made.diff->has_repeats);
	assert_near(made.diff->noise_percent, 3);
	assert_true(diff_judge(made.diff, DIFF_TOTAL, NULL, 0, judgements));
	for (uint32_t i = 0; i < 7; i++) {
		assert_true(isnan(judgements[i].p));
		assert_int_equal(judgements[i].verdict, i < 1 ? DIFF_SAME : DIFF_UNDECIDED);
	}
	assert_true(diff_is_exact(made.diff, DIFF_COUNT));
	assert_true(diff_judge(made.diff, DIFF_COUNT, NULL, 0, judgements));
	for (uint32_t i = 0; i < 7; i++)
		assert_int_equal(judgements[i].verdict, i < 6 ? DIFF_SAME : DIFF_SLOWER);
	diff_free(made.diff);
	made_free(runs[0]);
	made_free(runs[1]);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_with_itself),
		cmocka_unit_test(test_repeats),
		cmocka_unit_test(test_single_pair),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
