/* Which processes, threads and regions an export takes, and what is refused. */
#include "export/export_selection.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "exported.h"
#include "model/recording/recording_open.h"

/* Process 4242 with threads 0 and 1 and process 77 with thread 0. */
struct fixture {
	struct synthetic *synthetics[2];
	struct recording *recordings[2];
	struct run run;
};

static int setup(void **state)
{
	static struct fixture fixture;
	struct synthetic **made = fixture.synthetics;

	for (int i = 0; i < 2; i++) {
		made[i] = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
		synthetic_region(made[i], KYMO_REGION_PYTHON, "fib");
		synthetic_region(made[i], KYMO_REGION_PYTHON, "run");
		synthetic_thread(made[i], KYMO_NO_THREAD, "MainThread", 0);
	}
	synthetic_thread(made[0], KYMO_NO_THREAD, "worker", 0);
	synthetic_header(made[0])->pid = 4242;
	synthetic_header(made[1])->pid = 77;
	for (int i = 0; i < 2; i++) {
		synthetic_close(made[i], 1000);
		fixture.recordings[i] = synthetic_open(made[i]);
	}
	fixture.run = (struct run){
		.path = (char *)"some-run", .recordings = fixture.recordings, .recording_count = 2};
	*state = &fixture;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *fixture = *state;

	for (int i = 0; i < 2; i++) {
		recording_free(fixture->recordings[i]);
		synthetic_free(fixture->synthetics[i]);
	}
	return 0;
}

static void assert_refused(const struct fixture *fixture, const struct export_options *options,
			   const char *line)
{
	struct export_selection selection;
	struct problem problem = {{0}};

	assert_int_equal(selection_init(&selection, &fixture->run, options, &problem), KYMO_USAGE);
	assert_string_equal(problem.text, line);
}

static void test_default_takes_everything(void **state)
{
	const struct export_options options = EXPORT_OPTIONS_DEFAULT;
	const struct fixture *fixture = *state;
	struct export_selection selection;

	assert_int_equal(selection_init(&selection, &fixture->run, &options, NULL), KYMO_OK);
	assert_true(selection_has_thread(&selection, 0, 0));
	assert_true(selection_has_thread(&selection, 0, 1));
	assert_true(selection_has_thread(&selection, 1, 0));
	assert_false(selection_has_thread(&selection, 1, 1));
	assert_null(selection_regions(&selection, 0));
	selection_release(&selection);
}

static void test_process_and_thread_narrow(void **state)
{
	const struct export_options of_process = {.process = 77, .thread = KYMO_NO_THREAD};
	const struct export_options of_thread = {.thread = 1};
	const struct fixture *fixture = *state;
	struct export_selection selection;

	assert_int_equal(selection_init(&selection, &fixture->run, &of_process, NULL), KYMO_OK);
	assert_false(selection_has_recording(&selection, 0));
	assert_false(selection_has_thread(&selection, 0, 0));
	assert_true(selection_has_thread(&selection, 1, 0));
	selection_release(&selection);
	assert_int_equal(selection_init(&selection, &fixture->run, &of_thread, NULL), KYMO_OK);
	assert_true(selection_has_thread(&selection, 0, 1));
	assert_false(selection_has_thread(&selection, 0, 0));
	selection_release(&selection);
}

static void test_filter_matches_labels(void **state)
{
	const struct export_options options = {.thread = KYMO_NO_THREAD, .filter = "^f|x$"};
	const struct fixture *fixture = *state;
	struct export_selection selection;

	assert_int_equal(selection_init(&selection, &fixture->run, &options, NULL), KYMO_OK);
	for (size_t i = 0; i < 2; i++) {
		assert_true(selection_regions(&selection, i)[1]);
		assert_false(selection_regions(&selection, i)[2]);
	}
	selection_release(&selection);
}

static void test_what_the_run_does_not_have_is_refused(void **state)
{
	const struct export_options no_process = {.process = 5, .thread = KYMO_NO_THREAD};
	const struct export_options no_thread = {.thread = 9};
	const struct export_options not_in_process = {.process = 77, .thread = 1};

	assert_refused(*state, &no_process, "'some-run' has no process 5");
	assert_refused(*state, &no_thread, "'some-run' has no thread 9");
	assert_refused(*state, &not_in_process, "'some-run' has no thread 1");
}

static void test_bad_pattern_is_refused(void **state)
{
	const struct export_options options = {.thread = KYMO_NO_THREAD, .filter = "f("};
	const struct fixture *fixture = *state;
	struct export_selection selection;
	struct problem problem = {{0}};

	assert_int_equal(selection_init(&selection, &fixture->run, &options, &problem), KYMO_USAGE);
	assert_non_null(strstr(problem.text, "bad pattern 'f('"));
}

static void test_timelines_need_a_trace(void **state)
{
	static const char *const formats[] = {"perfetto", "chrome"};
	struct fixture *fixture = *state;

	for (size_t i = 0; i < 2; i++) {
		struct exported exported = exported_new(formats[i], fixture->synthetics, 2, NULL);

		assert_int_equal(exported.status, KYMO_UNAVAILABLE);
		assert_string_equal(exported.problem.text,
				    "'test-run' holds no trace and no samples: run the program "
				    "again with -T or under kymo sample to record them");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_default_takes_everything),
		cmocka_unit_test(test_process_and_thread_narrow),
		cmocka_unit_test(test_filter_matches_labels),
		cmocka_unit_test(test_what_the_run_does_not_have_is_refused),
		cmocka_unit_test(test_bad_pattern_is_refused),
		cmocka_unit_test(test_timelines_need_a_trace),
	};

	return cmocka_run_group_tests(tests, setup, teardown);
}
