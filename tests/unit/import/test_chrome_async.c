/* Asynchronous operations of Chrome traces: what overlaps lies on tracks of its own. */
#include "import/formats/chrome_async.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "imported_fixture.h"

struct fixture {
	struct imported_fixture made;
	struct chrome_tracks tracks;
	uint32_t process, load;
};

static void set_up(struct fixture *fixture)
{
	*fixture = (struct fixture){.made.status = KYMO_OK};
	imported_init(&fixture->made.imported);
	fixture->tracks.imported = &fixture->made.imported;
	fixture->process = imported_process(&fixture->made.imported, 1);
	fixture->load = imported_user(&fixture->made.imported, "load");
}

static void put(struct fixture *fixture, uint64_t key, bool is_begin, int64_t ns)
{
	const struct chrome_operation operation = {
		.ns = ns,
		.key = key,
		.is_begin = is_begin,
		.process = fixture->process,
		.region = is_begin ? fixture->load : 0,
	};

	chrome_tracks_operate(&fixture->tracks, &operation);
}

static void tear_down(struct fixture *fixture)
{
	chrome_tracks_release(&fixture->tracks);
	imported_fixture_release(&fixture->made);
}

static void test_operations_that_overlap_get_tracks(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	put(&fixture, 1, true, 0);
	put(&fixture, 2, true, 5);
	put(&fixture, 1, false, 10);
	put(&fixture, 3, true, 10);
	put(&fixture, 2, false, 30);
	put(&fixture, 3, false, 40);
	chrome_async_finish(&fixture.tracks);
	ASSERT_IMPORTED(&fixture.made, "load 2 40\nload 1 25\n");
	assert_int_equal(fixture.made.imported.thread_count, 2);
	assert_string_equal(fixture.made.imported.threads[1].name, "load (async)");
	assert_string_equal(fixture.made.imported.threads[2].name, "load (async 2)");
	tear_down(&fixture);
}

/* What has the same id is nested, or one after the other. */
static void test_what_has_the_same_id_is_nested(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	put(&fixture, 1, true, 0);
	put(&fixture, 1, true, 2);
	put(&fixture, 1, false, 3);
	put(&fixture, 1, false, 10);
	put(&fixture, 1, true, 20);
	put(&fixture, 1, false, 25);
	chrome_async_finish(&fixture.tracks);
	ASSERT_IMPORTED(&fixture.made, "load 2 14\nload;load 1 1\n");
	assert_int_equal(fixture.made.imported.thread_count, 1);
	tear_down(&fixture);
}

static void test_ends_and_begins_alone(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	put(&fixture, 1, false, 5);
	put(&fixture, 2, true, 6);
	put(&fixture, 3, true, 7);
	put(&fixture, 3, true, 8);
	put(&fixture, 3, false, 9);
	chrome_async_finish(&fixture.tracks);
	assert_int_equal(fixture.made.imported.counts[COUNT_UNMATCHED_ENDS], 1);
	assert_int_equal(fixture.made.imported.counts[COUNT_UNENDED], 2);
	for (size_t i = 1; i <= fixture.made.imported.thread_count; i++)
		assert_int_equal(fixture.made.imported.threads[i].open_count, 0);
	tear_down(&fixture);
}

static void test_tracks_are_bounded(void **state)
{
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	for (uint64_t i = 0; i < CHROME_LANES_MAX + 3; i++) {
		put(&fixture, i, true, (int64_t)i);
		put(&fixture, i, false, 100000 + (int64_t)i);
	}
	chrome_async_finish(&fixture.tracks);
	assert_int_equal(fixture.made.imported.thread_count, CHROME_LANES_MAX);
	assert_int_equal(fixture.made.imported.counts[COUNT_LANES], 3);
	tear_down(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operations_that_overlap_get_tracks),
		cmocka_unit_test(test_what_has_the_same_id_is_nested),
		cmocka_unit_test(test_ends_and_begins_alone),
		cmocka_unit_test(test_tracks_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
