/* What measuring cost and what was lost, as JSON. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>

#include "report/tables/facts_json.h"

static void assert_written(const struct run_facts *facts, const char *expected)
{
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);
	struct json_writer json = {.out = out};

	assert_non_null(out);
	json_begin_object(&json);
	report_write_measuring(facts, &json);
	json_end_object(&json);
	fclose(out);
	assert_string_equal(text, expected);
	free(text);
}

static void test_calls(void **state)
{
	const struct run_facts facts = {
		.is_calibrated = true,
		.cost_s = 0.5,
		.taken_out_s = 0.25,
		.preempted_s = 0.125,
		.short_calls_s = 2,
		.coarse_late_s = 0.5,
		.startup_s = 0.01,
		.closing_s = 0.02,
		.beside_s = 0.03,
		.cost_percent = 12.5,
	};

	(void)state;
	assert_written(&facts, "{\"measuring\":{\"is_calibrated\":true,\"calls\":0.5,\"taken_out\":"
			       "0.25,\"preempted\":0.125,\"coarse_late\":0.5,\"short_calls\":2,"
			       "\"startup\":0.01,"
			       "\"closing\":0.02,\"beside\":0.03,\"percent\":12.5},\"losses\":[]}");
}

/* Which have a cost of their own. */
static void test_samples(void **state)
{
	const struct run_facts facts = {.samples = {.count = 10, .cost_s = 0.75}};

	(void)state;
	assert_written(&facts, "{\"measuring\":{\"is_calibrated\":false,\"calls\":0,\"taken_out\":"
			       "0,\"preempted\":0,\"coarse_late\":0,\"short_calls\":0,\"samples\":"
			       "0.75,\"startup\":0,"
			       "\"closing\":0,\"beside\":0,\"percent\":0},\"losses\":[]}");
}

static void test_losses(void **state)
{
	char first[] = "one \"thing\"", second[] = "another", *losses[] = {first, second};
	const struct run_facts facts = {.losses = losses, .loss_count = 2};

	(void)state;
	assert_written(&facts,
		       "{\"measuring\":{\"is_calibrated\":false,\"calls\":0,\"taken_out\":0,"
		       "\"preempted\":0,\"coarse_late\":0,\"short_calls\":0,\"startup\":0,"
		       "\"closing\":0,\"beside\":0,"
		       "\"percent\":0},\"losses\":[\"one \\\"thing\\\"\",\"another\"]}");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_samples),
		cmocka_unit_test(test_losses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
