/* Time windows as texts: what they mean, and which are refused. */
#include "config/periods.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "config/settings.h"

static struct periods periods;
static struct problem problem;

static void expect(size_t index, uint64_t delay_ns, uint64_t duration_ns, uint64_t repeat,
		   clockid_t clock)
{
	const struct period *item = &periods.items[index];

	assert_true(index < periods.count);
	assert_int_equal(item->delay_ns, delay_ns);
	assert_int_equal(item->duration_ns, duration_ns);
	assert_int_equal(item->repeat, repeat);
	assert_int_equal(item->clock, clock);
}

static void parse(const char *text)
{
	assert_int_equal(periods_parse(text, CLOCK_REALTIME, &periods, &problem), KYMO_OK);
}

static void test_items(void **state)
{
	(void)state;
	parse("");
	assert_int_equal(periods.count, 0);
	parse(" 1.5:2 ; .25:10.:3, 0:0.000000001:1:cputime 4:0");
	assert_int_equal(periods.count, 4);
	expect(0, 1500000000, 2000000000, 1, CLOCK_REALTIME);
	expect(1, 250000000, 10000000000, 3, CLOCK_REALTIME);
	expect(2, 0, 1, 1, CLOCK_PROCESS_CPUTIME_ID);
	expect(3, 4000000000, 0, 1, CLOCK_REALTIME);
	parse("1:1:0");
	expect(0, 1000000000, 1000000000, 0, CLOCK_REALTIME);
	parse("1000000000:1000000000:4294967295");
	expect(0, 1000000000000000000, 1000000000000000000, 4294967295, CLOCK_REALTIME);
}

static void test_clocks(void **state)
{
	static const struct {
		const char *text;
		clockid_t clock;
	} rows[] = {
		{"realtime", CLOCK_REALTIME},
		{"MONOTONIC", CLOCK_MONOTONIC},
		{"clock_monotonic", CLOCK_MONOTONIC},
		{"CLOCK_PROCESS_CPUTIME_ID", CLOCK_PROCESS_CPUTIME_ID},
		{"cputime", CLOCK_PROCESS_CPUTIME_ID},
		{"monotonic_raw", CLOCK_MONOTONIC_RAW},
		{"realtime_coarse", CLOCK_REALTIME_COARSE},
		{"monotonic_coarse", CLOCK_MONOTONIC_COARSE},
		{"boottime", CLOCK_BOOTTIME},
		{"0", 0},
		{"1", 1},
		{"2", 2},
		{"4", 4},
		{"5", 5},
		{"6", 6},
		{"7", 7},
	};
	static const char *const wrong[] = {"", "3", "8", "11", "CLOCK_", "CLOCK_0", "real", "x"};
	char text[64];

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		snprintf(text, sizeof(text), "1:1:1:%s", rows[i].text);
		parse(text);
		expect(0, 1000000000, 1000000000, 1, rows[i].clock);
	}
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++) {
		clockid_t clock = 77;

		assert_int_equal(period_clock(wrong[i], strlen(wrong[i]), &clock), KYMO_USAGE);
		assert_int_equal(clock, 77);
	}
}

static void test_refused(void **state)
{
	static const struct {
		const char *text, *reason;
	} rows[] = {
		{"5", "'5' is not possible: give DELAY:DURATION[:REPEAT[:CLOCK]]"},
		{"1:2:3:4:5", "give DELAY:DURATION[:REPEAT[:CLOCK]]"},
		{":1", "delay"},
		{"-1:1", "delay"},
		{"1e3:1", "delay"},
		{".:1", "delay"},
		{"1.5.2:1", "delay"},
		{"1000000001:1", "delay"},
		{"1:", "duration"},
		{"1:x", "duration"},
		{"1:1s", "duration"},
		{"1:1:", "repeats"},
		{"1:1:1.5", "repeats"},
		{"1:1:-1", "repeats"},
		{"1:1:4294967296", "repeats"},
		{"1:1:1:", "clock"},
		{"1:1:1:sundial", "clock"},
		{"1:0:2", "lasts to the end"},
		{"1:0:0", "lasts to the end"},
		{"1:0 1:1", "'1:1' is not possible: the one before it has no end"},
		{"1:1:0 1:1", "the one before it has no end"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(periods_parse(rows[i].text, CLOCK_REALTIME, &periods, &problem),
				 KYMO_USAGE);
		if (!strstr(problem.text, rows[i].reason))
			fail_msg("'%s': %s", rows[i].text, problem.text);
	}
}

static void test_too_many(void **state)
{
	char text[PERIODS_MAX * 4 + 8] = "";

	(void)state;
	for (int i = 0; i < PERIODS_MAX; i++)
		memcpy(text + i * 4, "1:1,", 5);
	parse(text);
	assert_int_equal(periods.count, PERIODS_MAX);
	strcat(text, "1:1");
	assert_int_equal(periods_parse(text, CLOCK_REALTIME, &periods, &problem), KYMO_USAGE);
}

static enum kymo_status with(const char *delay, const char *duration, const char *list,
			     const char *clock)
{
	struct settings *settings = settings_new();
	enum kymo_status status;

	settings_set(settings, "TRACE_DELAY", delay, SETTING_FROM_COMMAND, NULL);
	settings_set(settings, "TRACE_DURATION", duration, SETTING_FROM_COMMAND, NULL);
	settings_set(settings, "TRACE_PERIODS", list, SETTING_FROM_COMMAND, NULL);
	settings_set(settings, "TRACE_PERIOD_CLOCK_ID", clock, SETTING_FROM_COMMAND, NULL);
	status = periods_from_settings(settings, &periods, &problem);
	settings_free(settings);
	return status;
}

static void test_settings(void **state)
{
	(void)state;
	assert_int_equal(with("", "", "", ""), KYMO_OK);
	assert_int_equal(periods.count, 0);
	assert_int_equal(with("0.75", "", "", ""), KYMO_OK);
	expect(0, 750000000, 0, 1, CLOCK_REALTIME);
	assert_int_equal(with("", "1.25", "", "cputime"), KYMO_OK);
	assert_int_equal(periods.count, 1);
	expect(0, 0, 1250000000, 1, CLOCK_PROCESS_CPUTIME_ID);
	assert_int_equal(with("", "", "1:2:3 1:2:3:4", "CLOCK_MONOTONIC"), KYMO_OK);
	expect(0, 1000000000, 2000000000, 3, CLOCK_MONOTONIC);
	expect(1, 1000000000, 2000000000, 3, CLOCK_MONOTONIC_RAW);
	assert_int_equal(with("1", "", "1:2", ""), KYMO_USAGE);
	assert_non_null(strstr(problem.text, "exclude each other"));
	assert_int_equal(with("1", "", "", "sundial"), KYMO_USAGE);
	assert_non_null(strstr(problem.text, "unknown clock 'sundial'"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_items),	 cmocka_unit_test(test_clocks),
		cmocka_unit_test(test_refused),	 cmocka_unit_test(test_too_many),
		cmocka_unit_test(test_settings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
