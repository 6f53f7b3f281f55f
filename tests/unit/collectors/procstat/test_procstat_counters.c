/* Which counters are read over time, and what is made of a counter that took turns. */
#include "collectors/procstat/procstat_counters.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <fcntl.h>

static const struct perfevent known = {.name = "known"};
static struct kymo_helper_thread threads[2];
static size_t thread_count;
static double value;
static unsigned defined;
static int ends[2]; /* of a pipe that stands for the counter */
static bool is_kept, can_open;

const struct perfevent *perfevent_find(const char *name)
{
	return strcmp(name, "unknown") ? &known : NULL;
}

int perfevent_open(const struct perfevent *event, pid_t thread, int group, bool is_grouped)
{
	(void)event, (void)thread, (void)group, (void)is_grouped;
	errno = ENOENT;
	return can_open ? dup(ends[0]) : -1;
}

const char *perfevent_reason(int error, char *buffer, size_t size)
{
	(void)buffer, (void)size;
	return error == ENOENT ? "there is none" : "?";
}

bool procstat_files_are_kept(void)
{
	return is_kept;
}

void procstat_series_define_thread(struct procstat_series *series, uint32_t thread,
				   const char *unit, const char *format, ...)
{
	(void)thread, (void)unit, (void)format;
	*series = (struct procstat_series){.id = ++defined};
}

void procstat_put(struct procstat_series *series, double put)
{
	(void)series;
	value = put;
}

size_t kymo_helper_threads(struct kymo_helper_thread *out, size_t max, size_t first)
{
	(void)max, (void)first;
	memcpy(out, threads, thread_count * sizeof(*threads));
	return thread_count;
}

static int begin(void **state)
{
	(void)state;
	is_kept = can_open = true;
	thread_count = defined = 0;
	value = -1;
	return pipe2(ends, O_CLOEXEC | O_NONBLOCK);
}

static int end(void **state)
{
	(void)state;
	close(ends[0]);
	close(ends[1]);
	return 0;
}

static void count(uint64_t counted, uint64_t enabled, uint64_t running)
{
	const uint64_t words[] = {counted, enabled, running};

	assert_int_equal(write(ends[1], words, sizeof(words)), sizeof(words));
}

static void test_the_list(void **state)
{
	char name[NAME_BYTES + 32];

	(void)state;
	procstat_counters_choose(" a,unknown;b\t\nc ");
	assert_int_equal(event_count, 3);
	assert_string_equal(names[1], "b");
	procstat_counters_choose("a b c d e f g h i j k");
	assert_int_equal(event_count, EVENTS_MAX);
	memset(name, 'x', sizeof(name));
	name[sizeof(name) - 1] = '\0';
	procstat_counters_choose(name);
	assert_int_equal(event_count, 0);
}

static void test_whether_there_are_any(void **state)
{
	const char *why;

	(void)state;
	procstat_counters_choose("");
	assert_false(procstat_counters.open(&why));
	assert_null(why); /* nobody asked */
	procstat_counters_choose("a");
	assert_true(procstat_counters.open(&why));
	can_open = false;
	assert_false(procstat_counters.open(&why));
	assert_string_equal(why, "there is none");
	can_open = true;
	is_kept = false;
	assert_false(procstat_counters.open(&why));
	assert_string_equal(why, "the reading thread has no descriptors of its own");
}

/* A counter that took turns stands for the whole time; an ended thread is read once more. */
static void test_values(void **state)
{
	const char *why;

	(void)state;
	procstat_counters_choose("a");
	assert_true(procstat_counters.open(&why));
	threads[0] = (struct kymo_helper_thread){.number = 2, .system_id = 100};
	thread_count = 1;
	count(1000, 50, 50);
	procstat_counters.read();
	assert_true(value == 1000);
	count(1000, 60, 30);
	procstat_counters.read();
	assert_true(value == 2000);
	count(1100, 60, 0); /* never had its turn: nothing is known beyond */
	procstat_counters.read();
	assert_true(value == 1100);
	assert_int_equal(defined, 1);
	thread_count = 0;
	count(1500, 60, 60);
	procstat_counters.read();
	assert_true(value == 1500);
	assert_int_equal(rows[0].system_id, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_the_list, begin, end),
		cmocka_unit_test_setup_teardown(test_whether_there_are_any, begin, end),
		cmocka_unit_test_setup_teardown(test_values, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
