/* Samples of a page's processes: opened of those that were sampled. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "exported.h"
#include "view/page_fixture.h"

static void test_sampled_process_has_slices(void **state)
{
	struct page_fixture fixture;
	const struct recording_samples *samples;

	(void)state;
	page_fixture_open(&fixture, exported_overflows());
	samples = fixture.page.samples;
	assert_ptr_equal(samples[0].recording, fixture.loaded->trees[0]->recording);
	assert_ptr_equal(samples[0].samples, loaded_samples(fixture.loaded, 0));
	assert_non_null(samples[0].samples);
	page_fixture_close(&fixture);
}

static void test_process_without_samples_has_none(void **state)
{
	struct synthetic *made = page_fixture_calls();
	struct page_fixture fixture;

	(void)state;
	synthetic_close(made, US(20));
	page_fixture_open(&fixture, made);
	assert_ptr_equal(fixture.page.samples[0].recording, fixture.loaded->trees[0]->recording);
	assert_null(fixture.page.samples[0].samples);
	page_fixture_close(&fixture);
}

static void test_run_without_processes_has_an_empty_list(void **state)
{
	static const struct loaded_run nothing;
	const struct sampled_options options = {.weight = SAMPLED_BY_WALL};
	struct recording_samples *samples = page_samples_open(&nothing, &options);

	(void)state;
	page_samples_close(samples, &nothing);
	page_samples_close(NULL, &nothing);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sampled_process_has_slices),
		cmocka_unit_test(test_process_without_samples_has_none),
		cmocka_unit_test(test_run_without_processes_has_an_empty_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
