/* Samples added up by stack, and the columns that a profile has. */
#include "export/formats/pprof_sums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "exported.h"
#include "model/recording/recording_open.h"

struct summed {
	struct synthetic *made;
	struct recording *recordings[1];
	struct run run;
	struct run_samples samples;
	struct export_selection selection;
	struct pprof_sums sums;
};

/* thread: only that one. */
static void summed_new(struct summed *summed, struct synthetic *made, uint32_t thread)
{
	struct export_options options = EXPORT_OPTIONS_DEFAULT;

	options.thread = thread;
	*summed = (struct summed){.made = made, .recordings = {synthetic_open(made)}};
	summed->run = (struct run){
		.path = (char *)"some-run", .recordings = summed->recordings, .recording_count = 1};
	assert_int_equal(run_samples_open(&summed->samples, &summed->run, &options, true, NULL),
			 KYMO_OK);
	assert_int_equal(selection_init(&summed->selection, &summed->run, &options, NULL), KYMO_OK);
	pprof_sums_init(&summed->sums, &summed->selection, &summed->samples);
}

static void summed_free(struct summed *summed)
{
	selection_release(&summed->selection);
	run_samples_close(&summed->samples);
	recording_free(summed->recordings[0]);
	synthetic_free(summed->made);
}

/* Of a column over all stacks of a thread. */
static double sum_of(const struct summed *summed, uint32_t thread, enum pprof_column column)
{
	uint32_t count = samples_stack_count(summed->samples.items[0].samples, thread);
	double sum = 0;

	for (uint32_t i = 0; i < 2 * count; i++)
		sum += summed->sums.stacks[0][thread][i].values[column];
	return sum;
}

static void test_events_add_up_by_stack(void **state)
{
	struct summed summed;
	uint32_t count;
	bool has_inner = false;

	(void)state;
	summed_new(&summed, exported_overflows(), KYMO_NO_THREAD);
	assert_true(summed.sums.has[COLUMN_EVENTS] && summed.sums.has[COLUMN_SAMPLES]);
	assert_false(summed.sums.has[COLUMN_WALL] || summed.sums.has[COLUMN_CPU]);
	assert_false(summed.sums.has[COLUMN_CALLS]);
	assert_true(summed.sums.totals[COLUMN_SAMPLES] == 3);
	assert_true(sum_of(&summed, 0, COLUMN_EVENTS) == summed.sums.totals[COLUMN_EVENTS]);
	count = samples_stack_count(summed.samples.items[0].samples, 0);
	for (uint32_t i = 0; i < count; i++) /* work was met twice */
		has_inner |= summed.sums.stacks[0][0][i].values[COLUMN_SAMPLES] == 2;
	assert_true(has_inner);
	summed_free(&summed);
}

static void test_recording_of_calls_has_their_columns(void **state)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	struct summed summed;

	(void)state;
	synthetic_thread(made, KYMO_NO_THREAD, "Main", 0);
	synthetic_close(made, 1000);
	summed_new(&summed, made, KYMO_NO_THREAD);
	assert_true(summed.sums.has[COLUMN_CALLS] && summed.sums.has[COLUMN_WALL]);
	assert_false(summed.sums.has[COLUMN_SAMPLES]);
	assert_null(summed.sums.stacks[0]);
	summed_free(&summed);
}

/* Two threads with one sample of the clock each. */
static struct synthetic *two_threads(enum kymo_sample_kind kind)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_SAMPLES);
	uint32_t code = synthetic_code(made, "main", "/u/a.py", 3);
	uint64_t frame = kymo_frame(KYMO_FRAME_PYTHON, (uint64_t)code << 32 | KYMO_FRAME_NO_OFFSET);

	for (uint32_t i = 0; i < 2; i++) {
		uint32_t thread = synthetic_thread(made, KYMO_NO_THREAD, "t", 0),
			 stack = synthetic_stack(made, thread, 0, frame);

		synthetic_sample(made, thread, KYMO_SAMPLE_BEGIN, KYMO_GIL_UNKNOWN, 0, 0,
				 SYNTHETIC_NONE, SYNTHETIC_NONE);
		synthetic_sample(made, thread, kind, KYMO_GIL_UNKNOWN, 100 * 1024, stack,
				 (uint64_t)(i + 1) * 10 * 1024, SYNTHETIC_NONE);
	}
	synthetic_close(made, 200 * 1024);
	return made;
}

static void test_other_threads_are_not_added(void **state)
{
	struct summed summed;

	(void)state;
	summed_new(&summed, two_threads(KYMO_SAMPLE_REALTIME), 1);
	assert_null(summed.sums.stacks[0][0]);
	assert_non_null(summed.sums.stacks[0][1]);
	assert_true(summed.sums.totals[COLUMN_SAMPLES] == 1);
	summed_free(&summed);
}

static void test_cpu_time_is_all_counted(void **state)
{
	struct summed summed;

	(void)state;
	summed_new(&summed, two_threads(KYMO_SAMPLE_CPUTIME), KYMO_NO_THREAD);
	assert_true(summed.sums.has[COLUMN_CPU]);
	assert_true(sum_of(&summed, 0, COLUMN_CPU) + sum_of(&summed, 1, COLUMN_CPU) ==
		    summed.sums.totals[COLUMN_CPU]);
	assert_true(sum_of(&summed, 1, COLUMN_CPU) == 2 * sum_of(&summed, 0, COLUMN_CPU));
	summed_free(&summed);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_add_up_by_stack),
		cmocka_unit_test(test_recording_of_calls_has_their_columns),
		cmocka_unit_test(test_other_threads_are_not_added),
		cmocka_unit_test(test_cpu_time_is_all_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
