/* Profiles of speedscope: frames may follow the profiles that name them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "imported_fixture.h"

#define SHARED                                                                                     \
	"\"shared\":{\"frames\":[{\"name\":\"f "                                                   \
	"(a.py:3)\"},{\"name\":\"g\",\"file\":\"b.py\",\"line\":9}]}"

static void read_profiles(struct imported_fixture *fixture, const char *profiles)
{
	char text[2048];

	snprintf(text, sizeof(text), "{\"profiles\":[%s]," SHARED "}", profiles);
	imported_fixture_read(fixture, "speedscope", text);
}

static void test_events_with_frames_behind_them(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	read_profiles(
		&fixture,
		"{\"type\":\"evented\",\"name\":\"t\",\"unit\":\"microseconds\","
		"\"startValue\":0,\"endValue\":9,\"events\":["
		"{\"type\":\"O\",\"frame\":0,\"at\":1},{\"type\":\"O\",\"frame\":1,\"at\":2},"
		"{\"type\":\"C\",\"frame\":1,\"at\":4},{\"type\":\"C\",\"frame\":0,\"at\":9}]}");
	ASSERT_IMPORTED(&fixture, "f 1 6000\nf;g 1 2000\n");
	assert_int_equal(fixture.imported.regions[1].line, 3);
	assert_int_equal(fixture.imported.regions[2].line, 9);
	assert_memory_equal(fixture.imported.regions[2].file.at, "b.py", 5);
	imported_fixture_release(&fixture);
}

static void test_samples_with_weights(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	read_profiles(&fixture, "{\"type\":\"sampled\",\"name\":\"t\",\"unit\":\"seconds\","
				"\"samples\":[[0,1],[0],[],[0,1]],\"weights\":[1,0.5,3,2]}");
	ASSERT_IMPORTED(&fixture, "f 1 500000000\nf;g 2 3000000000\n");
	imported_fixture_release(&fixture);
}

static void test_several_profiles_are_threads(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	read_profiles(&fixture,
		      "{\"name\":\"a\",\"unit\":\"none\",\"samples\":[[0]],\"weights\":[2]},"
		      "{\"name\":\"b\",\"unit\":\"none\",\"samples\":[[1],[1]]}");
	ASSERT_IMPORTED(&fixture, "f 1 2\ng 2 2\n");
	assert_int_equal(fixture.imported.thread_count, 2);
	assert_string_equal(fixture.imported.threads[2].name, "b");
	imported_fixture_release(&fixture);
}

static void assert_profile_refused(const char *profile, const char *words)
{
	char text[2048];

	snprintf(text, sizeof(text), "{" SHARED ",\"profiles\":[%s]}", profile);
	assert_refused("speedscope", text, words);
}

static void test_indices_and_weights_are_checked(void **state)
{
	(void)state;
	assert_profile_refused("{\"samples\":[[2]]}", "a sample's frame is not there");
	assert_profile_refused("{\"samples\":[[-1]]}", "a sample's frame is not an index");
	assert_profile_refused("{\"samples\":[[0.4]]}", "not an index");
	assert_profile_refused("{\"samples\":[[-0.4]]}", "not an index");
	assert_profile_refused("{\"samples\":[[4294967295]]}", "not an index");
	assert_profile_refused("{\"samples\":[[0]],\"weights\":[1,2]}", "not as many weights");
	assert_profile_refused("{\"events\":[{\"type\":\"O\",\"frame\":7,\"at\":1}]}",
			       "an event's frame is not there");
	assert_profile_refused("{\"events\":[{\"type\":\"O\",\"at\":1}]}", "no frame or no time");
	assert_profile_refused("{\"samples\":[[0]", "at byte");
	assert_refused("speedscope", "", "too early at byte 0");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_events_with_frames_behind_them),
		cmocka_unit_test(test_samples_with_weights),
		cmocka_unit_test(test_several_profiles_are_threads),
		cmocka_unit_test(test_indices_and_weights_are_checked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
