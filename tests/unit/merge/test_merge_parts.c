/* Who was merged: processes counted, named and told apart, whatever the order of adding. */
#include "merge/merge_parts.h"

#include "spilled_fixture.h"

static struct merge_parts parts;

static int tear_down(void **state)
{
	(void)state;
	merge_parts_release(&parts);
	return 0;
}

static void add(uint32_t pid, uint32_t thread, const char *program)
{
	const struct recording_part part = {.run = "run",
					    .program = program,
					    .run_id = {3},
					    .pid = pid,
					    .thread = thread,
					    .rank = -1,
					    .start_realtime_ns = 5000 + pid};
	const uint32_t next = parts.count;

	assert_int_equal(merge_parts_add(&parts, &part), next);
}

static uint64_t process_count(void)
{
	struct problem problem = {""};

	return merge_parts_process_count(&parts, &problem);
}

static void test_threads_of_processes(void **state)
{
	(void)state;
	assert_int_equal(process_count(), 0);
	add(1, 0, "a");
	add(2, 0, "b");
	add(1, 1, "a");
	assert_int_equal(process_count(), 2);
	add(1, 2, "a");
	assert_int_equal(process_count(), 2);
	parts.items[3].start_realtime_ns++; /* its number was used again */
	assert_int_equal(process_count(), 3);
}

static void test_name_of_all_does_not_depend_on_the_order(void **state)
{
	uint8_t one[16], other[16], third[16];

	(void)state;
	add(1, 0, "a");
	add(2, 0, "b");
	assert_true(merge_parts_run_id(&parts, one));
	merge_parts_release(&parts);
	add(2, 7, "b");
	add(1, 0, "a");
	add(1, 1, "a"); /* a thread is no further process */
	assert_true(merge_parts_run_id(&parts, other));
	assert_memory_equal(one, other, 16);
	add(3, 0, "b");
	assert_true(merge_parts_run_id(&parts, third));
	assert_memory_not_equal(one, third, 16);
}

static void test_programs(void **state)
{
	static const char *const names[] = {"d", "b", "f", "b", "a", "c", "e"};
	char *text;

	(void)state;
	assert_null(merge_parts_programs(&parts));
	add(1, 0, NULL);
	assert_null(merge_parts_programs(&parts));
	for (uint32_t i = 0; i < 4; i++)
		add(i, 0, names[i]);
	text = merge_parts_programs(&parts);
	assert_string_equal(text, "b, d, f");
	free(text);
	for (uint32_t i = 4; i < 7; i++)
		add(i, 0, names[i]);
	text = merge_parts_programs(&parts);
	assert_string_equal(text, "a, b, c, d and 2 more");
	free(text);
}

/* Shares of one region become one, in the place that it has in the run. */
static void test_shares_are_united(void **state)
{
	static const struct merge_share shares[] = {
		{0, 1, 1, 10, 20, 3, 4},
		{1, 0, 1, 1, 1, 1, 1},
		{0, 0, 5, 50, 60, 7, 8},
		{0, 1, 2, 30, UINT64_MAX, 5, 6},
	};
	static const uint32_t rank[] = {1, 0};
	struct problem problem = {""};
	uint64_t record[6];

	(void)state;
	begin_spill(NULL);
	spilled_root();
	spill_now();
	add(1, 0, "a");
	add(2, 0, "a");
	assert_int_equal(merge_parts_bytes(&parts), 0);
	for (size_t i = 0; i < 4; i++)
		assert_true(merge_parts_share(&parts, &shares[i]));
	assert_true(merge_parts_bytes(&parts) >= sizeof(shares));
	assert_int_equal(merge_parts_flush(&parts, &spill, rank, &problem), KYMO_OK);
	assert_int_equal(merge_spill_flush(&spill, &problem), KYMO_OK);
	assert_int_equal(merge_parts_bytes(&parts), 0);
	assert_int_equal(parts.segment_count, 2);
	assert_int_equal(parts.segments[0].part, 0);
	assert_int_equal(parts.segments[0].count, 2);
	assert_int_equal(parts.segments[1].count, 1);
	assert_true(merge_spill_read(&spill, record, sizeof(record), parts.segments[0].at));
	assert_true(record[0] == 0 && record[1] == 3 && record[2] == 40);
	assert_true(record[3] == UINT64_MAX); /* stays at the largest */
	assert_true(record[4] == 8 && record[5] == 10);
	end_spill(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_teardown(test_threads_of_processes, tear_down),
		cmocka_unit_test_teardown(test_name_of_all_does_not_depend_on_the_order, tear_down),
		cmocka_unit_test_teardown(test_programs, tear_down),
		cmocka_unit_test_teardown(test_shares_are_united, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
