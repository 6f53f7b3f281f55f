/* Reading and writing another process: single ranges, and many at once. */
#include "attach/target/remote.h"

#include "reading_fixture.h"

static void test_read(void **state)
{
	unsigned char bytes[2 * PAGE];

	(void)state;
	assert_true(remote_read(&remote, at(5), bytes, sizeof(bytes)));
	assert_memory_equal(bytes, pages + 5, sizeof(bytes));
	assert_false(remote_read(&remote, at(3 * PAGE - 4), bytes, 8));
	assert_false(remote_read(&remote, 8, bytes, 8));
	assert_true(remote.error != 0);
	remote.is_by_file = true; /* as where the call is not allowed */
	memset(bytes, 0, sizeof(bytes));
	assert_true(remote_read(&remote, at(5), bytes, sizeof(bytes)));
	assert_memory_equal(bytes, pages + 5, sizeof(bytes));
	assert_false(remote_read(&remote, 8, bytes, 8)); /* protection does not count there */
}

/* One that cannot be read does not take the ones behind it along. */
static void test_ranges(void **state)
{
	unsigned char bytes[600][8];
	struct remote_range ranges[600];

	(void)state;
	for (size_t i = 0; i < 600; i++)
		ranges[i] = (struct remote_range){
			.address = i % 100 == 50 ? at(3 * PAGE) : at(i), .size = 8, .to = bytes[i]};
	assert_int_equal(remote_read_ranges(&remote, ranges, 600), 594);
	for (size_t i = 0; i < 600; i++) {
		assert_int_equal(ranges[i].is_read, i % 100 != 50);
		if (ranges[i].is_read)
			assert_memory_equal(bytes[i], pages + i, 8);
	}
}

static void test_write(void **state)
{
	static const char text[] = "written from outside";

	(void)state;
	assert_true(remote_write(&remote, at(PAGE - 6), text, sizeof(text)));
	assert_string_equal((const char *)pages + PAGE - 6, text);
	assert_int_equal(pages[PAGE - 7], (unsigned char)((PAGE - 7) * 7));
	mprotect(pages, PAGE, PROT_READ); /* that does not matter */
	assert_true(remote_write(&remote, at(0), text, sizeof(text)));
	assert_string_equal((const char *)pages, text);
	assert_false(remote_write(&remote, 8, text, sizeof(text)));
	assert_true(remote.error != 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_ranges, set_up, tear_down),
		cmocka_unit_test_setup_teardown(test_write, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
