/* The threads' times and counts: which file is read, and rows of threads that have ended. */
#include "collectors/procstat/procstat_threads.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <sys/syscall.h>
#include <unistd.h>

#include "procstat_fixture.h"

#define STATUS "Name:\ta b\nvoluntary_ctxt_switches:\t40\nnonvoluntary_ctxt_switches:\t2\n"

static struct kymo_helper_thread threads[THREADS_MAX + 1];
static size_t thread_count;

size_t kymo_helper_threads(struct kymo_helper_thread *out, size_t max, size_t first)
{
	size_t count = 0;

	for (size_t i = first; i < thread_count && count < max; i++)
		out[count++] = threads[i];
	return count;
}

void procstat_series_define_thread(struct procstat_series *series, uint32_t thread,
				   const char *unit, const char *format, ...)
{
	(void)format;
	procstat_series_define(series, unit, "%.7s%u", format, thread);
}

static int begin(void **state)
{
	const char *why;

	(void)state;
	procstat_fixture_begin();
	thread_count = 0;
	return procstat_threads.open(&why) ? 0 : -1;
}

static int end(void **state)
{
	(void)state;
	procstat_fixture_end();
	return 0;
}

static void add_thread(uint32_t number, uint64_t system_id)
{
	threads[thread_count++] =
		(struct kymo_helper_thread){.number = number, .system_id = system_id};
}

static struct row *row_of_number(uint32_t number)
{
	for (size_t i = 0; i < THREADS_MAX; i++)
		if (rows[i].system_id && rows[i].number == number)
			return &rows[i];
	return NULL;
}

static void write_stat(const char *text)
{
	procstat_fixture_write("proc/self/task/1/status", STATUS);
	procstat_fixture_write("proc/self/task/1/stat", text);
}

/* A name may hold whatever the fields are told apart by. */
static void test_fields_behind_any_name(void **state)
{
	(void)state;
	add_thread(3, 1);
	write_stat("1 (a) b) 7 (x) S 2 3 4 5 6 7 500 8 60 9 10\n");
	procstat_threads.read();
	assert_string_equal(strstr(procstat_fixture_series(), "\n") + 1,
			    "Thread 3 42 \nThread 3 560 \n");
}

static void test_the_callers_time_is_its_clocks(void **state)
{
	double seconds = -1;

	(void)state;
	assert_true(cpu_time((uint64_t)syscall(SYS_gettid), &seconds));
	assert_true(seconds >= 0);
	assert_false(cpu_time(UINT32_MAX >> 4, &seconds)); /* no such thread */
}

/* Where the file is gone the thread is, and its row is for another. */
static void test_a_thread_that_has_ended(void **state)
{
	(void)state;
	add_thread(3, 1);
	write_stat("1 (a) S 2 3 4 5 6 7 500 8 60 9 10\n");
	procstat_threads.read();
	assert_non_null(row_of_number(3));
	thread_count = 0;
	procstat_fixture_write("proc/self/task/1/status", "");
	procstat_threads.read();
	assert_null(row_of_number(3));
}

static void test_the_same_number_has_one_row(void **state)
{
	struct row *row;

	(void)state;
	add_thread(3, 1);
	add_thread(3 + THREADS_MAX, 2); /* would have the same place */
	threads_read_times();
	row = row_of_number(3);
	assert_ptr_not_equal(row, row_of_number(3 + THREADS_MAX));
	threads_read_times();
	assert_ptr_equal(row_of_number(3), row);
	threads_row_release(row);
	threads_read_times();
	assert_non_null(row_of_number(3));
}

/* Of three with the same place the one between the others ends: the last one keeps its row. */
static void test_a_hole_before_a_row(void **state)
{
	const struct row *row;

	(void)state;
	for (uint32_t i = 0; i < 3; i++)
		add_thread(3 + i * THREADS_MAX, 1 + i);
	threads_read_times();
	row = row_of_number(3 + 2 * THREADS_MAX);
	threads_row_release(row_of_number(3 + THREADS_MAX));
	threads[1] = threads[--thread_count];
	threads_read_times();
	assert_ptr_equal(row_of_number(3 + 2 * THREADS_MAX), row);
}

/* More threads than are read at a time take turns; more than there are rows are left out. */
static void test_many_threads(void **state)
{
	(void)state;
	for (uint32_t i = 0; i <= THREADS_MAX; i++)
		add_thread(i, 100000 + i);
	for (unsigned i = 0; i < THREADS_MAX / THREADS_ONCE + 1; i++)
		threads_read_times();
	assert_non_null(row_of_number(0));
	assert_non_null(row_of_number(THREADS_MAX - 1));
	assert_null(row_of_number(THREADS_MAX));
	assert_true(is_full);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_fields_behind_any_name, begin, end),
		cmocka_unit_test_setup_teardown(test_the_callers_time_is_its_clocks, begin, end),
		cmocka_unit_test_setup_teardown(test_a_thread_that_has_ended, begin, end),
		cmocka_unit_test_setup_teardown(test_the_same_number_has_one_row, begin, end),
		cmocka_unit_test_setup_teardown(test_a_hole_before_a_row, begin, end),
		cmocka_unit_test_setup_teardown(test_many_threads, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
