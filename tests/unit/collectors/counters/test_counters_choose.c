/* Which counters there are to be, and what is said of those that cannot be counted. */
#include "collectors/counters/counters_choose.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/notes_fixture.h"
#include "collectors/settings_fixture.h"

static const struct perfevent faults = {.name = "PERF_COUNT_SW_PAGE_FAULTS", .text = "Page faults"};
static bool has_papi, can_open;

const struct perfevent *perfevent_find(const char *name)
{
	return strstr(name, "FAULTS") ? &faults : NULL;
}

int perfevent_open(const struct perfevent *event, pid_t thread, int group, bool is_grouped)
{
	(void)event, (void)thread, (void)group, (void)is_grouped;
	return can_open ? dup(STDERR_FILENO) : -1;
}

const char *perfevent_reason(int error, char *buffer, size_t size)
{
	(void)error, (void)buffer, (void)size;
	return "it is not allowed";
}

bool papi_load(const char **why_out)
{
	*why_out = "there is no PAPI";
	return has_papi;
}

bool papi_knows(const char *name)
{
	return strncmp(name, "PAPI_", 5) == 0;
}

int papi_start(const char *const *names, unsigned count, bool is_multiplexed,
	       struct papi_failure *failure_out)
{
	(void)count, (void)is_multiplexed;
	*failure_out = (struct papi_failure){0, "it does not fit"};
	return strcmp(names[0], "PAPI_BAD") ? 1 : -1;
}

void papi_stop(int set)
{
	assert_int_equal(set, 1);
}

static int begin(void **state)
{
	(void)state;
	settings_forget();
	notes_forget();
	counter_count = note_count = 0;
	has_papi = can_open = true;
	return 0;
}

static void test_the_kernel_first_and_papi_for_the_rest(void **state)
{
	(void)state;
	settings_give("PAPI_EVENTS", "PAPI_L1_DCM, PAGE-FAULTS::FAULTS;:FAULTS");
	counters_choose();
	assert_int_equal(counter_count, 3);
	assert_null(counters[0].event);
	assert_string_equal(counters[0].text, "Counted by PAPI");
	assert_ptr_equal(counters[1].event, &faults);
	assert_string_equal(counters[1].text, "Page faults");
	assert_string_equal(counters[2].name, "perf:FAULTS");
	counters_notes_write();
	assert_string_equal(notes_kept, "");
}

static void test_one_engine_alone(void **state)
{
	(void)state;
	settings_give("PAPI_EVENTS", "PAPI_X FAULTS");
	settings_give("PAPI_ENGINE", "perf");
	counters_choose();
	assert_int_equal(counter_count, 1);
	assert_string_equal(counters[0].name, "FAULTS");
	counter_count = 0;
	settings_give("PAPI_ENGINE", "papi");
	counters_choose();
	assert_int_equal(counter_count, 1);
	assert_string_equal(counters[0].name, "PAPI_X");
	counters_notes_write();
	assert_string_equal(notes_kept,
			    "counters: PAPI_X is not counted: it is unknown to the kernel; see "
			    "'kymo avail -H'\n"
			    "counters: FAULTS is not counted: it is unknown to PAPI; see 'kymo "
			    "avail -H'\n");
}

/* Notes wait until there is a recording, and are written once. */
static void test_what_cannot_be_counted(void **state)
{
	(void)state;
	can_open = false;
	settings_give("PAPI_EVENTS", "FAULTS PAPI_BAD");
	counters_choose();
	has_papi = false;
	settings_give("PAPI_EVENTS", "PAPI_X");
	counters_choose();
	assert_int_equal(counter_count, 0);
	assert_string_equal(notes_kept, "");
	counters_notes_write();
	counters_notes_write();
	assert_string_equal(notes_kept, "counters: FAULTS is not counted: it is not allowed\n"
					"counters: PAPI_BAD is not counted: it does not fit\n"
					"counters: PAPI_X is not counted: there is no PAPI\n");
}

static void test_too_many(void **state)
{
	(void)state;
	settings_give("PAPI_EVENTS", "FAULTS FAULTS FAULTS FAULTS FAULTS FAULTS FAULTS FAULTS "
				     "FAULTS FAULTS FAULTS FAULTS FAULTS FAULTS FAULTS FAULTS "
				     "FAULTS");
	counters_choose();
	assert_int_equal(counter_count, KYMO_COUNTERS_MAX);
	counters_notes_write();
	assert_string_equal(notes_kept, "counters: FAULTS is not counted: there are too many\n");
}

static void test_estimates_say_so(void **state)
{
	(void)state;
	settings_give("PAPI_EVENTS", "FAULTS");
	settings_give("PAPI_MULTIPLEXING", "ON");
	counters_choose();
	assert_string_equal(counters[0].text,
			    "Page faults (an estimate if counters are multiplexed)");
	settings_give("PAPI_MULTIPLEXING", "OFF");
	counters_choose();
	assert_string_equal(counters[1].text, "Page faults");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_the_kernel_first_and_papi_for_the_rest, begin),
		cmocka_unit_test_setup(test_one_engine_alone, begin),
		cmocka_unit_test_setup(test_what_cannot_be_counted, begin),
		cmocka_unit_test_setup(test_too_many, begin),
		cmocka_unit_test_setup(test_estimates_say_so, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
