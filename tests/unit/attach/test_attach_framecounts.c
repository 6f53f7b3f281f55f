/* Counts of functions over intervals: once a sample, the innermost apart, waiting as asked for. */
#include "attach/sample/framecounts.h"

#include "frames_fixture.h"

static struct framenames names;
static struct framecounts counts;

static int set_up(void **state)
{
	(void)state;
	framenames_init(&names, &watch);
	framecounts_init(&counts, &names);
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	framecounts_release(&counts);
	framenames_release(&names);
	return 0;
}

static void add(uint64_t *frames, size_t count)
{
	const struct watch_thread thread = {
		.result = WATCH_STACK, .frames = frames, .frame_count = count};

	framecounts_add(&counts, &thread, false);
}

static void check(size_t at, uint64_t self, uint64_t total)
{
	assert_true(at < counts.count);
	assert_int_equal(counts.functions[at].self, self);
	assert_int_equal(counts.functions[at].total, total);
}

/* f calls g, which calls f again: that is at another address, and the same function. */
static void test_recursion_counts_once(void **state)
{
	uint64_t frames[] = {python_frame(0, 4), python_frame(1, 0), python_frame(2, 8)};

	(void)state;
	add(frames, 3);
	assert_int_equal(counts.count, 2);
	check(0, 1, 1); /* f */
	check(1, 0, 1);
	add(frames, 2);
	check(0, 1, 2);
	check(1, 1, 2);
	assert_int_equal(counts.samples, 2);
}

static void test_kernel_and_marks_are_nobodys(void **state)
{
	uint64_t frames[] = {kymo_frame(KYMO_FRAME_MARK, KYMO_MARK_CUT), python_frame(1, 0),
			     kymo_frame(KYMO_FRAME_KERNEL, (uint64_t)SYS_read << 48)};

	(void)state;
	add(frames, 3);
	assert_int_equal(counts.count, 1);
	check(0, 1, 1);
	assert_string_equal(counts.functions[0].function, "C.g");
	assert_int_equal(counts.functions[0].line, 7);
}

static void test_those_that_wait(void **state)
{
	uint64_t frames[] = {python_frame(1, 0)};
	struct watch_thread thread = {.result = WATCH_STACK,
				      .frames = frames,
				      .frame_count = 1,
				      .gil = KYMO_GIL_WAITED_FOR};

	(void)state;
	thread.task.last.is_asleep = true;
	framecounts_add(&counts, &thread, false);
	assert_int_equal(counts.samples, 0);
	assert_int_equal(counts.gil_waits_now, 1);
	assert_int_equal(counts.active_now, 0);
	framecounts_add(&counts, &thread, true);
	assert_int_equal(counts.samples, 1);
	check(0, 1, 1);
	thread.result = WATCH_LOST;
	framecounts_add(&counts, &thread, true);
	assert_int_equal(counts.lost, 1);
	thread.result = WATCH_PASSED;
	framecounts_add(&counts, &thread, true);
	assert_int_equal(counts.lost, 1);
	assert_int_equal(counts.samples, 1);
}

/* In however many threads, a look has the GIL held once. */
static void test_looks(void **state)
{
	struct watch_thread thread = {.result = WATCH_STACK, .gil = KYMO_GIL_HELD};

	(void)state;
	framecounts_add(&counts, &thread, false);
	framecounts_add(&counts, &thread, false);
	framecounts_end_observation(&counts);
	framecounts_end_observation(&counts);
	assert_int_equal(counts.observations, 2);
	assert_int_equal(counts.gil_held, 1);
	assert_int_equal(counts.active_now, 2);
}

static void test_the_next_interval(void **state)
{
	uint64_t frames[] = {python_frame(0, 0)};

	(void)state;
	add(frames, 1);
	framecounts_end_observation(&counts);
	framecounts_next_interval(&counts);
	assert_int_equal(counts.samples_now + counts.observations_now + counts.active_now, 0);
	assert_int_equal(counts.functions[0].self_now + counts.functions[0].total_now, 0);
	add(frames, 1);
	check(0, 2, 2);
	assert_int_equal(counts.functions[0].self_now, 1);
	assert_int_equal(counts.functions[0].total_now, 1);
	assert_int_equal(counts.samples, 2);
	assert_int_equal(counts.samples_now, 1);
	assert_int_equal(counts.observations, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_recursion_counts_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_kernel_and_marks_are_nobodys, set_up,
						tear_down),
		cmocka_unit_test_setup_teardown(test_those_that_wait, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_looks, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_the_next_interval, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
