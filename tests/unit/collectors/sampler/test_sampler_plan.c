/* What is to be sampled, of settings as users give them. */
#include "collectors/sampler/sampler_plan.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/notes_fixture.h"
#include "collectors/settings_fixture.h"

static bool has_event, sees_kernel, has_signal;
static char said[256]; /* on standard error */

void kymo_log(enum kymo_log_level level, const char *format, ...)
{
	va_list arguments;

	assert_int_equal(level, KYMO_LOG_ERROR);
	va_start(arguments, format);
	vsnprintf(said, sizeof(said), format, arguments);
	va_end(arguments);
}

int sampler_signal_choose(int wanted)
{
	return !has_signal ? 0 : wanted ? wanted : 60;
}

bool sampler_event_find(const char *name, struct sampler_event *out)
{
	*out = (struct sampler_event){1, 1};
	return strncmp(name, "perf::", 6) == 0;
}

bool sampler_event_probe(const struct sampler_event *event, bool *sees_kernel_out)
{
	(void)event;
	*sees_kernel_out = sees_kernel;
	return has_event;
}

static int begin(void **state)
{
	(void)state;
	memset(&sampler_plan, 0, sizeof(sampler_plan));
	settings_forget();
	notes_forget();
	said[0] = '\0';
	has_event = sees_kernel = has_signal = true;
	settings_give("SAMPLING", "ON");
	return 0;
}

static void test_defaults(void **state)
{
	(void)state;
	assert_true(sampler_plan_read());
	assert_true(sampler_plan.kind[0].is_on);
	assert_false(sampler_plan.kind[1].is_on);
	assert_int_equal(sampler_plan.kind[0].period, 10000000);
	assert_int_equal(sampler_plan.kind[0].engine, SAMPLER_WALL);
	assert_int_equal(sampler_plan.kind[0].end_ns, 0);
	assert_int_equal(sampler_plan.depth, DEPTH_DEFAULT);
	assert_true(sampler_plan.has_jitter);
	settings_give("SAMPLING", "OFF");
	assert_false(sampler_plan_read());
}

static void test_a_kinds_own_setting_comes_first(void **state)
{
	(void)state;
	settings_give("SAMPLING_REALTIME", "ON");
	settings_give("SAMPLING_CPUTIME", "ON");
	settings_give("SAMPLING_FREQ", "1000");
	settings_give("SAMPLING_CPUTIME_FREQ", "50");
	settings_give("SAMPLING_DURATION", "2");
	settings_give("SAMPLING_REALTIME_SIGNAL", "37");
	settings_give("SAMPLING_TIDS", "0,2-4");
	settings_give("SAMPLING_CPUTIME_TIDS", "9");
	settings_give("SAMPLING_JITTER", "OFF");
	assert_true(sampler_plan_read());
	assert_int_equal(sampler_plan.kind[0].period, 1000000);
	assert_int_equal(sampler_plan.kind[1].period, 20000000);
	assert_int_equal(sampler_plan.kind[0].end_ns - sampler_plan.kind[0].start_ns, 2000000000);
	assert_int_equal(sampler_plan.kind[0].signal, 37);
	assert_int_equal(sampler_plan.kind[1].signal, 60);
	assert_false(sampler_plan.has_jitter);
	assert_true(sampler_threads_has(&sampler_plan.kind[0].threads, 3));
	assert_false(sampler_threads_has(&sampler_plan.kind[0].threads, 1));
	assert_true(sampler_threads_has(&sampler_plan.kind[1].threads, 9));
	assert_false(sampler_threads_has(&sampler_plan.kind[1].threads, 3));
}

static void test_numbers_out_of_bounds(void **state)
{
	(void)state;
	settings_give("SAMPLING_FREQ", "1e9");
	settings_give("SAMPLING_DEPTH", "100000");
	assert_true(sampler_plan_read());
	assert_int_equal(sampler_plan.kind[0].period, 10000); /* 100 kHz */
	assert_int_equal(sampler_plan.depth, DEPTH_DEFAULT);
	settings_give("SAMPLING_FREQ", "0");
	settings_give("SAMPLING_DEPTH", "1");
	assert_true(sampler_plan_read());
	assert_int_equal(sampler_plan.kind[0].period, 10000000);
	assert_int_equal(sampler_plan.depth, 1);
}

static void test_lists_of_threads(void **state)
{
	struct sampler_threads threads = {.count = 0};
	char many[1024] = "";

	(void)state;
	assert_true(sampler_threads_has(&threads, 12345)); /* none chosen: all */
	plan_read_threads(&threads, "x1, 3-5 ,7");
	assert_int_equal(threads.count, 3);
	assert_true(sampler_threads_has(&threads, 1));
	assert_true(sampler_threads_has(&threads, 5));
	assert_false(sampler_threads_has(&threads, 6));
	for (unsigned i = 0; i < 2 * SAMPLER_RANGES_MAX; i++)
		strcat(many, "8,");
	plan_read_threads(&threads, many);
	assert_int_equal(threads.count, SAMPLER_RANGES_MAX);
}

/* CPU time is told by an event where that sees the kernel, too; else by a clock. */
static void test_what_tells_cpu_time(void **state)
{
	(void)state;
	settings_give("SAMPLING_CPUTIME", "ON");
	assert_true(sampler_plan_read());
	assert_int_equal(sampler_plan.kind[1].engine, SAMPLER_EVENT);
	assert_true(sampler_plan.kind[1].is_time);
	sees_kernel = false;
	settings_give("SAMPLING_FREQ", "1"); /* a clock that ticks is good enough for it */
	assert_true(sampler_plan_read());
	assert_int_equal(sampler_plan.kind[1].engine, SAMPLER_CPU);
	settings_give("SAMPLING_FREQ", "100000");
	assert_true(sampler_plan_read());
	assert_int_equal(sampler_plan.kind[1].engine, SAMPLER_WEIGHTED);
}

/* To whoever runs the program, and to whoever reads the recording. */
static void test_what_is_left_out_is_said_and_noted(void **state)
{
	static const char why[] = "unknown event 'nonsense': nothing is sampled by its overflow; "
				  "'kymo avail -H' lists what there is";

	(void)state;
	settings_give("SAMPLING_OVERFLOW", "ON");
	settings_give("SAMPLING_OVERFLOW_EVENT", "nonsense");
	assert_false(sampler_plan_read());
	assert_string_equal(said, why);
	assert_memory_equal(notes_kept, "sampling: ", 10);
	assert_memory_equal(notes_kept + 10, why, sizeof(why) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_defaults, begin),
		cmocka_unit_test_setup(test_a_kinds_own_setting_comes_first, begin),
		cmocka_unit_test_setup(test_numbers_out_of_bounds, begin),
		cmocka_unit_test_setup(test_lists_of_threads, begin),
		cmocka_unit_test_setup(test_what_tells_cpu_time, begin),
		cmocka_unit_test_setup(test_what_is_left_out_is_said_and_noted, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
