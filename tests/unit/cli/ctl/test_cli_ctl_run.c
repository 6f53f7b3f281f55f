/* Which processes of a run live. */
#include "cli/ctl/ctl_run.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "ctl_fixture.h"
#include "platform/ticks.h"

/* The state of the process of one recording, which is freed. */
static enum ctl_state state_of(struct synthetic *synthetic)
{
	enum ctl_state state;
	struct ctl_run run;

	ctl_put(synthetic, "one.kymo");
	run = ctl_opened("one.kymo");
	assert_int_equal(run.count, 1);
	assert_null(run.directory); /* one recording was named */
	state = run.processes[0].state;
	assert_int_equal(run.living_count, ctl_is_living(&run.processes[0]));
	ctl_run_release(&run);
	return state;
}

static void test_what_the_recording_says(void **state)
{
	struct synthetic *made = ctl_recording(0);

	(void)state;
	assert_int_equal(state_of(made), CTL_RECORDING);
	made = ctl_recording(0);
	synthetic_header(made)->gate = KYMO_GATE_OFF;
	assert_int_equal(state_of(made), CTL_STOPPED);
	made = ctl_recording(0);
	synthetic_header(made)->state = KYMO_STATE_ABANDONED;
	assert_int_equal(state_of(made), CTL_REPLACED);
	made = ctl_recording(0);
	synthetic_header(made)->state = KYMO_STATE_CLOSED;
	assert_int_equal(state_of(made), CTL_ENDED);
	made = ctl_recording(0);
	synthetic_note(made, KYMO_NOTE_INFO, "hostname", "another host");
	assert_int_equal(state_of(made), CTL_ELSEWHERE);
}

/* The id alone does not make it the same process. */
static void test_ids_that_belong_to_others(void **state)
{
	struct synthetic *made = ctl_recording(0);

	(void)state;
	synthetic_header(made)->pid = UINT32_MAX / 2; /* no process has it */
	assert_int_equal(state_of(made), CTL_KILLED);
	made = ctl_recording(0);
	synthetic_header(made)->pairs[0].monotonic_ns = 1; /* before the process began */
	assert_int_equal(state_of(made), CTL_KILLED);
	made = ctl_recording(0);
	synthetic_header(made)->start_realtime_ns = 1; /* before the machine was started */
	assert_int_equal(state_of(made), CTL_KILLED);
	made = ctl_recording(0);
	synthetic_header(made)->pairs[0].monotonic_ns += UINT64_C(1000000000000000);
	assert_int_equal(state_of(made), CTL_KILLED); /* of a longer time than it runs */
}

static void test_a_later_recording_of_the_process_replaces_it(void **state)
{
	struct ctl_run run;

	(void)state;
	ctl_put(ctl_recording(0), "first.kymo");
	ctl_put(ctl_recording(1000), "second.kymo");
	run = ctl_opened(folder);
	assert_int_equal(run.count, 2);
	assert_int_equal(run.living_count, 1);
	assert_string_equal(run.directory, folder);
	for (size_t i = 0; i < run.count; i++) {
		const char *path = run.processes[i].recording->path;

		assert_int_equal(run.processes[i].state,
				 strstr(path, "first") ? CTL_REPLACED : CTL_RECORDING);
	}
	ctl_run_release(&run);
}

static void test_without_a_living_process_it_fails(void **state)
{
	struct synthetic *made = ctl_recording(0);
	struct problem problem;
	struct ctl_run run;

	(void)state;
	synthetic_header(made)->state = KYMO_STATE_CLOSED;
	ctl_put(made, "one.kymo");
	assert_true(ctl_run_open_living(folder, &run, &problem) < 0);
	assert_non_null(strstr(problem.text, folder));
	made = ctl_recording(0);
	synthetic_note(made, KYMO_NOTE_INFO, "hostname", "another host");
	ctl_put(made, "one.kymo");
	assert_int_equal(ctl_run_open_living(folder, &run, &problem), KYMO_ERROR);
	assert_non_null(strstr(problem.text, "control it on 'another host'"));
	ctl_put(ctl_recording(0), "two.kymo");
	assert_int_equal(ctl_run_open_living(folder, &run, &problem), KYMO_OK);
	ctl_run_release(&run);
}

static void test_the_clock_of_a_recording(void **state)
{
	(void)state;
	ctl_clock_select(KYMO_CLOCK_MONOTONIC_RAW);
	assert_int_equal(clock_kind(), KYMO_CLOCK_MONOTONIC_RAW);
	ctl_clock_select(KYMO_CLOCK_MONOTONIC);
	assert_int_equal(clock_kind(), KYMO_CLOCK_MONOTONIC);
	ctl_clock_select(UINT32_MAX); /* of a recording that is not to be trusted */
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_set_up, folder_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		IN_FOLDER(test_what_the_recording_says),
		IN_FOLDER(test_ids_that_belong_to_others),
		IN_FOLDER(test_a_later_recording_of_the_process_replaces_it),
		IN_FOLDER(test_without_a_living_process_it_fails),
		cmocka_unit_test(test_the_clock_of_a_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
