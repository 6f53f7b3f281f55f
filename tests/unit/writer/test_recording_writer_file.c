/* Files that are made whole or not at all. */
#include "writer/recording_writer.h"

#include "recording_writer_fixture.h"
#include "writer/recording_writer_events.h"

static void test_discarded(void **state)
{
	struct recording_writer_header header = {0};
	struct recording_writer *maker;

	(void)state;
	unlink(path);
	maker = maker_of(&header);
	recording_writer_thread(maker, "main", 0, 0, 10, 0);
	recording_writer_enter(maker, 0, 1, 1);
	recording_writer_discard(maker);
	assert_int_equal(access(path, F_OK), -1);
}

static void test_bad_paths(void **state)
{
	const struct recording_writer_header header = {0};
	struct recording_writer *maker = NULL;
	struct problem problem;

	(void)state;
	assert_int_equal(recording_writer_new("-", &header, &maker, &problem), KYMO_USAGE);
	assert_int_equal(recording_writer_new("/dev/null", &header, &maker, &problem), KYMO_USAGE);
	assert_int_equal(recording_writer_new("/nowhere/x", &header, &maker, &problem),
			 KYMO_SYSTEM);
	assert_null(maker);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_discarded),
		cmocka_unit_test(test_bad_paths),
	};

	close(mkstemp(path));
	return cmocka_run_group_tests(tests, NULL, remove_file);
}
