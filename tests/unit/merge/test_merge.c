/* Merging random recordings gives the same bytes whatever the order and the grouping. */
#include "random_runs_fixture.h"

static void shuffle(char **names, size_t count)
{
	for (size_t i = count; i > 1; i--) {
		size_t other = any((uint32_t)i);
		char *name = names[i - 1];

		names[i - 1] = names[other];
		names[other] = name;
	}
}

/* Merge some into one, again and again, until one is left. */
static char *merge_grouped(char **inputs)
{
	char *names[RECORDINGS];
	size_t count = RECORDINGS;

	for (size_t i = 0; i < RECORDINGS; i++)
		names[i] = strdup(inputs[i]);
	while (count > 1) {
		size_t group = 2 + any(2);
		char *output;

		shuffle(names, count);
		group = group > count ? count : group;
		output = merge(&names[count - group], group, any(2) ? 1 : 1 << 20, 1);
		free_all(&names[count - group], group);
		count -= group;
		names[count++] = output;
	}
	return names[0];
}

static void test_any_order_and_grouping(void **state)
{
	char *inputs[RECORDINGS];

	(void)state;
	for (uint64_t seed = 1; seed <= 4; seed++) {
		char *whole, *other;

		make_inputs(inputs, seed);
		whole = merge(inputs, RECORDINGS, 1 << 20, 1);
		for (unsigned int i = 0; i < 4; i++) {
			shuffle(inputs, RECORDINGS);
			other = merge(inputs, RECORDINGS, i % 2 ? 1 : 1 << 20, 1 + i);
			assert_same(whole, other);
			free(other);
			other = merge_grouped(inputs);
			assert_same(whole, other);
			free(other);
		}
		free(whole);
		free_all(inputs, RECORDINGS);
	}
}

static void test_twice(void **state)
{
	char *inputs[RECORDINGS + 2], *whole, *other, *part;

	(void)state;
	make_inputs(inputs, 5);
	whole = merge(inputs, RECORDINGS, 1 << 20, 1);
	part = merge(inputs + 2, 3, 1 << 20, 1);
	inputs[RECORDINGS] = inputs[0];
	inputs[RECORDINGS + 1] = part;
	other = merge(inputs, RECORDINGS + 2, 1 << 20, 1);
	assert_same(whole, other);
	free(other);
	free(part);
	free(whole);
	free_all(inputs, RECORDINGS);
}

static void test_partly_the_same(void **state)
{
	char *inputs[RECORDINGS], *pair[2], *output = name_in("partly", 0);
	const struct merge_options options = {
		.output = output, .memory_bytes = 1 << 20, .jobs = 1, .job = ""};
	struct merge_result result;
	struct problem problem;

	(void)state;
	make_inputs(inputs, 5);
	pair[0] = merge(inputs, 4, 1 << 20, 1);
	pair[1] = merge(inputs + 3, 3, 1 << 20, 1);
	assert_int_equal(merge_recordings(pair, 2, &options, &result, &problem), KYMO_OK);
	assert_int_equal(result.problem_count, 1);
	assert_non_null(strstr(result.problems[0], "1 process in common"));
	assert_int_equal(result.process_count, 4);
	merge_result_release(&result);
	free_all(pair, 2);
	free_all(inputs, RECORDINGS);
	free(output);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_any_order_and_grouping),
		cmocka_unit_test(test_twice),
		cmocka_unit_test(test_partly_the_same),
	};

	if (!mkdtemp(folder))
		return 1;
	return cmocka_run_group_tests(tests, NULL, remove_all);
}
