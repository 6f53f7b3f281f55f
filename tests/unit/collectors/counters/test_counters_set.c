/* A thread's counters as they are read: in one group, alone where they take turns, and by PAPI.
 * Pipes stand for the kernel's counters. */
#include "collectors/counters/counters_set.c"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "collectors/notes_fixture.h"

struct counter counters[KYMO_COUNTERS_MAX];
unsigned counter_count;
bool counters_are_multiplexed;

static const struct perfevent cycles = {.type = PERF_TYPE_HARDWARE};
static int inputs[KYMO_COUNTERS_MAX]; /* what fills each */
static unsigned opened;
static int open_error; /* 0 = none */
static int latest_group;
static bool is_papi_readable;
static unsigned papi_stops;

int perfevent_open(const struct perfevent *event, pid_t thread, int group, bool is_grouped)
{
	int ends[2];

	(void)event, (void)thread, (void)is_grouped;
	latest_group = group;
	errno = open_error;
	if (open_error && opened > 0)
		return -1;
	if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) < 0)
		return -1;
	inputs[opened++] = ends[1];
	return ends[0];
}

const char *perfevent_reason(int error, char *buffer, size_t size)
{
	(void)error, (void)buffer, (void)size;
	return "not allowed";
}

int papi_start(const char *const *names, unsigned count, bool is_multiplexed,
	       struct papi_failure *failure_out)
{
	(void)names, (void)is_multiplexed;
	*failure_out = (struct papi_failure){count - 1, "no room"};
	return count == 1 ? 5 : -1;
}

bool papi_read(int set, long long *values)
{
	assert_int_equal(set, 5);
	values[0] = 99;
	return is_papi_readable;
}

void papi_stop(int set)
{
	assert_int_equal(set, 5);
	papi_stops++;
}

void counters_note_loss(const char *name, const char *why)
{
	kymo_note_add(KYMO_NOTE_LOSS, name, why);
}

static int begin(void **state)
{
	(void)state;
	notes_forget();
	memset(counters, 0, sizeof(counters));
	counter_count = opened = papi_stops = 0;
	counters_are_multiplexed = is_child = has_papi = false;
	open_error = 0;
	is_papi_readable = true;
	enabled_time = running_time = 0;
	return 0;
}

static int end(void **state)
{
	(void)state;
	counters_set_end();
	for (unsigned i = 0; i < opened; i++)
		close(inputs[i]);
	return 0;
}

static void give(unsigned input, const uint64_t *words, size_t count)
{
	assert_int_equal(write(inputs[input], words, count * sizeof(*words)),
			 count * sizeof(*words));
}

static void test_a_group_in_one_reading(void **state)
{
	const uint64_t words[] = {2, 10, 10, 500, 600};
	uint64_t values[KYMO_COUNTERS_MAX];

	(void)state;
	counters[0].event = counters[2].event = &cycles;
	counter_count = 3; /* the one in the middle is PAPI's */
	counters_set_read(values);
	assert_int_equal(opened, 2);
	assert_int_not_equal(latest_group, -1);
	give(0, words, 5);
	counters_set_read(values);
	assert_int_equal(values[0], 500);
	assert_int_equal(values[1], 99);
	assert_int_equal(values[2], 600);
}

/* So that nothing seems to be counted between two readings. */
static void test_a_reading_that_fails_repeats_the_one_before(void **state)
{
	const uint64_t words[] = {1, 10, 10, 500};
	uint64_t values[KYMO_COUNTERS_MAX];

	(void)state;
	counters[0].event = &cycles;
	counter_count = 2;
	counters_set_read(values);
	give(0, words, 4);
	counters_set_read(values);
	is_papi_readable = false;
	counters_set_read(values);
	assert_int_equal(values[0], 500);
	assert_int_equal(values[1], 99);
}

static void test_those_that_take_turns(void **state)
{
	const uint64_t half[] = {400, 100, 50};
	uint64_t values[KYMO_COUNTERS_MAX];

	(void)state;
	counters_are_multiplexed = true;
	counters[0].event = &cycles;
	counter_count = 1;
	counters_set_read(values);
	assert_int_equal(latest_group, -1);
	assert_true(counters_running_percent() == 100);
	give(0, half, 3);
	counters_set_read(values);
	assert_int_equal(values[0], 800);
	assert_true(counters_running_percent() == 50);
}

static void test_those_that_do_not_fit(void **state)
{
	uint64_t values[KYMO_COUNTERS_MAX] = {7, 7, 7, 7};

	(void)state;
	counters[0].event = counters[1].event = &cycles;
	strcpy(counters[3].name, "PAPI_B");
	counter_count = 4;
	open_error = EINVAL;
	counters_set_read(values);
	assert_int_equal(values[1], 0);
	assert_string_equal(notes_kept,
			    "counters: not all counters fit at the same time: "
			    "KYMO_PAPI_MULTIPLEXING=ON multiplexes them\n"
			    "counters: PAPI cannot count PAPI_B with the others: no room\n");
}

/* PAPI goes on counting the parent; what the kernel counts begins anew. */
static void test_a_forked_child(void **state)
{
	uint64_t values[KYMO_COUNTERS_MAX];

	(void)state;
	counters[0].event = &cycles;
	counter_count = 2;
	counters_set_read(values);
	assert_int_equal(values[1], 99);
	counters_set_forked();
	assert_string_equal(notes_kept, "what only PAPI counts: it cannot be restarted in a forked "
					"process\n");
	counters_set_read(values);
	assert_int_equal(opened, 2);
	assert_int_equal(values[1], 0);
}

/* Its descriptors are closed, and its memory is for the next thread. */
static void test_a_thread_that_ends(void **state)
{
	const struct set *before;
	uint64_t values[KYMO_COUNTERS_MAX];
	int fd;

	(void)state;
	counters[0].event = &cycles;
	counter_count = 2;
	counters_set_read(values);
	before = own;
	fd = own->fds[0];
	counters_set_end();
	assert_int_equal(papi_stops, 1);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
	counters_set_read(values);
	assert_ptr_equal(own, before);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_group_in_one_reading, begin, end),
		cmocka_unit_test_setup_teardown(test_a_reading_that_fails_repeats_the_one_before,
						begin, end),
		cmocka_unit_test_setup_teardown(test_those_that_take_turns, begin, end),
		cmocka_unit_test_setup_teardown(test_those_that_do_not_fit, begin, end),
		cmocka_unit_test_setup_teardown(test_a_forked_child, begin, end),
		cmocka_unit_test_setup_teardown(test_a_thread_that_ends, begin, end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
