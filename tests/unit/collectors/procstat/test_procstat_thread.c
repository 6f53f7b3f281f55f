/* The thread that reads: which sources it opens, and when each is due.  It is not made here. */
#include "collectors/procstat/procstat_thread.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/notes_fixture.h"

static bool is_first, has_own;
static unsigned opened[3], reads[3];

bool kymo_helper_is_first(void)
{
	return is_first;
}

bool kymo_helper_register(const struct kymo_helper *helper)
{
	(void)helper;
	return false;
}

bool kymo_helper_enter(void)
{
	return true;
}

bool kymo_helper_is_this(void)
{
	return true;
}

uint64_t kymo_helper_now(void)
{
	return 1;
}

bool kymo_helper_admits(void)
{
	return true;
}

void procstat_series_begin(void)
{
}

void procstat_series_now(uint64_t ticks, uint64_t now_ns)
{
	(void)ticks;
	assert_true(now_ns > 0);
}

#define SOURCE(number)                                                                             \
	static bool open_##number(const char **why_out)                                            \
	{                                                                                          \
		opened[number]++;                                                                  \
		*why_out = "there is none";                                                        \
		return has_own || number == 2;                                                     \
	}                                                                                          \
	static void read_##number(void)                                                            \
	{                                                                                          \
		reads[number]++;                                                                   \
	}

SOURCE(0)
SOURCE(1)
SOURCE(2)

/* Once in a thousand seconds is not again within a test. */
static const struct procstat_source table[] = {
	{"what is always new", false, 0, open_0, read_0},
	{"what is seldom new", false, 0.001, open_1, read_1},
	{"the machine", true, 0, open_2, read_2},
};
const struct procstat_source *const procstat_sources[] = {&table[0], &table[1], &table[2]};
const size_t procstat_source_count = 3;

static int begin(void **unused)
{
	(void)unused;
	notes_forget();
	memset(opened, 0, sizeof(opened));
	memset(reads, 0, sizeof(reads));
	is_first = has_own = true;
	readings = 0;
	return 0;
}

static void test_each_as_often_as_it_has_news(void **unused)
{
	(void)unused;
	open_sources();
	for (unsigned i = 0; i < 5; i++)
		read_sources(false);
	assert_int_equal(reads[0], 5);
	assert_int_equal(reads[1], 1);
	read_sources(true); /* the last one is of all */
	assert_int_equal(reads[0], 6);
	assert_int_equal(reads[1], 2);
	assert_int_equal(readings, 6);
}

/* The machine is read once a run, not by each of its processes. */
static void test_the_machine_is_the_first_process_s(void **unused)
{
	(void)unused;
	is_first = false;
	open_sources();
	read_sources(false);
	assert_int_equal(opened[2], 0);
	assert_int_equal(reads[2], 0);
	assert_int_equal(reads[0], 1);
	assert_string_equal(notes_kept, "");
}

static void test_what_cannot_be_read_is_noted(void **unused)
{
	(void)unused;
	has_own = false;
	open_sources();
	read_sources(true);
	assert_int_equal(reads[0], 0);
	assert_int_equal(reads[2], 1);
	assert_string_equal(notes_kept,
			    "machine: what is always new not recorded: there is none\n"
			    "machine: what is seldom new not recorded: there is none\n");
}

static void test_what_reading_cost(void **unused)
{
	(void)unused;
	plan.period_ns = 10000000;
	readings = 1;
	late = 3;
	note_cost();
	assert_non_null(strstr(notes_kept, "procstat: 1 reading, 3 skipped, "));
	assert_non_null(strstr(notes_kept, "one every 10000 us\n"));
}

/* Who is asked to end does not wait for the next reading. */
static void test_sleeping_ends_with_the_state(void **unused)
{
	(void)unused;
	procstat_thread_set_state(RUNNING);
	assert_true(thread_sleep_until(1)); /* has passed */
	procstat_thread_set_state(STOPPING);
	assert_false(thread_sleep_until(UINT64_MAX));
	procstat_thread_set_state(NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup(test_each_as_often_as_it_has_news, begin),
		cmocka_unit_test_setup(test_the_machine_is_the_first_process_s, begin),
		cmocka_unit_test_setup(test_what_cannot_be_read_is_noted, begin),
		cmocka_unit_test_setup(test_what_reading_cost, begin),
		cmocka_unit_test_setup(test_sleeping_ends_with_the_state, begin),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
