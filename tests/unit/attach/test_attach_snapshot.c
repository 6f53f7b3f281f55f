/* What a snapshot of another process foresees, and of which time it is. */
#include "attach/target/snapshot.h"

#include "reading_fixture.h"

/* Every read must be answered as it is in memory, whatever was fetched before. */
static void check_reads(struct snapshot *snapshot, const size_t *offsets, size_t count)
{
	unsigned char bytes[64];

	for (size_t i = 0; i < count; i++) {
		assert_true(snapshot_read(snapshot, at(offsets[i]), bytes, sizeof(bytes)));
		assert_memory_equal(bytes, pages + offsets[i], sizeof(bytes));
	}
}

static void test_snapshot(void **state)
{
	static const size_t offsets[] = {9000, 5000, 5100, 4090, 0, 3 * PAGE - 64, 20, 9001};
	const size_t count = sizeof(offsets) / sizeof(*offsets);
	struct snapshot snapshot;

	(void)state;
	assert_true(snapshot_init(&snapshot, &remote));
	for (int round = 0; round < 5; round++) {
		snapshot_fetch(&snapshot);
		check_reads(&snapshot, offsets, count);
		for (size_t i = 0; i < 3 * PAGE; i++)
			pages[i]++; /* what is old would show */
	}
	snapshot_release(&snapshot);
}

/* What is used again is there without a further read, also from before it changed. */
static void test_snapshot_is_of_one_time(void **state)
{
	static const size_t offsets[] = {100, 8000};
	unsigned char bytes[64], before;
	struct snapshot snapshot;

	(void)state;
	assert_true(snapshot_init(&snapshot, &remote));
	check_reads(&snapshot, offsets, 2);
	snapshot_fetch(&snapshot);
	before = pages[8000]++;
	assert_true(snapshot_read(&snapshot, at(8000), bytes, sizeof(bytes)));
	assert_int_equal(bytes[0], before);
	snapshot_fetch(&snapshot);
	assert_true(snapshot_read(&snapshot, at(8000), bytes, sizeof(bytes)));
	assert_int_equal(bytes[0], pages[8000]);
	snapshot_release(&snapshot);
}

/* Twice: what is the same in both did not change in between. */
static void test_snapshot_of_two_times(void **state)
{
	struct remote_range ranges[2 * SNAPSHOT_RANGES];
	unsigned char bytes[64], before = pages[8000];
	struct snapshot snapshot;
	size_t planned;

	(void)state;
	assert_true(snapshot_init(&snapshot, &remote));
	assert_true(snapshot_read(&snapshot, at(8000), bytes, sizeof(bytes)));
	pages[8000]++; /* not foreseen: it is read again when that is asked for, and once */
	assert_int_equal(bytes[0], before);
	assert_int_equal(*snapshot_later(&snapshot, at(8000), 1), pages[8000]);
	assert_true(snapshot_read(&snapshot, at(8000), bytes, sizeof(bytes)));
	assert_int_equal(bytes[0], before);

	planned = snapshot_plan(&snapshot, true, ranges);
	assert_int_equal(planned, 2);
	assert_int_equal(remote_read_ranges(&remote, ranges, 1), 1);
	before = pages[8000]++;
	assert_int_equal(remote_read_ranges(&remote, ranges + 1, 1), 1);
	pages[8000]++;
	assert_int_equal(snapshot_take(&snapshot, ranges), planned);
	assert_true(snapshot_read(&snapshot, at(8000), bytes, sizeof(bytes)));
	assert_int_equal(bytes[0], before);
	assert_int_equal(*snapshot_later(&snapshot, at(8000), 1), (unsigned char)(before + 1));
	assert_int_equal(*snapshot_later(&snapshot, at(20), 1), pages[20]); /* in no range */
	assert_null(snapshot_later(&snapshot, at(3 * PAGE), 8));
	assert_null(snapshot_later(&snapshot, at(0), PAGE));
	snapshot_release(&snapshot);
}

static void test_snapshot_of_nothing(void **state)
{
	unsigned char bytes[64];
	struct snapshot snapshot;

	(void)state;
	assert_true(snapshot_init(&snapshot, &remote));
	for (int round = 0; round < 3; round++) {
		snapshot_fetch(&snapshot);
		assert_false(snapshot_read(&snapshot, at(3 * PAGE), bytes, sizeof(bytes)));
		assert_false(snapshot_read(&snapshot, at(3 * PAGE - 4), bytes, sizeof(bytes)));
		assert_false(snapshot_read(&snapshot, UINT64_MAX - 4, bytes, sizeof(bytes)));
		assert_true(snapshot_read(&snapshot, at(3 * PAGE - 64), bytes, sizeof(bytes)));
	}
	snapshot_release(&snapshot);
}

/* More than it has room for is read all the same. */
static void test_snapshot_that_is_full(void **state)
{
	const size_t size = 600 * 2048;
	unsigned char *large = malloc(size), bytes[16];
	struct snapshot snapshot;

	(void)state;
	for (size_t i = 0; i < size; i++)
		large[i] = (unsigned char)(i / 2048);
	assert_true(snapshot_init(&snapshot, &remote));
	for (int round = 0; round < 2; round++) {
		snapshot_fetch(&snapshot);
		for (size_t i = 0; i < size; i += 2048) {
			assert_true(snapshot_read(&snapshot, (uint64_t)(uintptr_t)(large + i),
						  bytes, sizeof(bytes)));
			assert_memory_equal(bytes, large + i, sizeof(bytes));
		}
	}
	snapshot_release(&snapshot);
	free(large);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_snapshot, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_snapshot_is_of_one_time, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_snapshot_of_two_times, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_snapshot_of_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_snapshot_that_is_full, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
