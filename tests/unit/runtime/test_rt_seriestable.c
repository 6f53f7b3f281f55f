/* Series of a recording that is being written: ids, points, and what a child has of them. */
#include "runtime/threads/helper.h"

#include "model/recording/recording_open.h"
#include "runtime/hot.h"
#include "runtime/store/seriestable.h"
#include "runtime_fixture.h"

#define CASE(name)                                                                                 \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		fixture_run(name);                                                                 \
	}

static void ids_are_of_names_and_threads(void)
{
	uint32_t shared, own;

	fixture_open(NULL);
	kymo_thread_attach();
	shared = kymo_series_define("rss", "B", false);
	own = kymo_series_define("rss", "B", true);
	CHECK(shared != 0 && own != 0 && shared != own);
	CHECK(kymo_series_define("rss", "B", false) == shared);
	CHECK(kymo_series_define("rss", "other", true) == own);
	CHECK(kymo_series_define_for("rss", "B", KYMO_NO_THREAD) == shared);
	CHECK(kymo_series_define_for("rss", "B", 77) != own);
}
CASE(ids_are_of_names_and_threads)

static void points_are_read_back(void)
{
	struct recording *recording;
	struct kymo_point point;
	uint64_t index = 0;
	uint32_t series;

	fixture_open(NULL);
	kymo_thread_attach();
	series = kymo_series_define("load", "%", false);
	kymo_series_append(series, 1.5);
	kymo_series_append(0, 99); /* no series */
	kymo_series_append(series, -2);
	kymo_runtime_close(0);
	kymo_series_append(series, 3); /* behind the end */
	recording = fixture_read(kymo_runtime_recording());
	CHECK(recording_point(recording, &index, &point) && point.value == 1.5);
	CHECK(point.series == series && point.series < recording->series_count);
	CHECK(strcmp(recording->series[series].name, "load") == 0);
	CHECK(strcmp(recording->series[series].unit, "%") == 0);
	CHECK(recording_point(recording, &index, &point) && point.value == -2);
	CHECK(!recording_point(recording, &index, &point));
}
CASE(points_are_read_back)

static void there_are_not_endlessly_many(void)
{
	uint32_t last = 1;
	char name[32];

	fixture_open(NULL);
	kymo_thread_attach();
	for (int i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "series %d", i);
		last = kymo_series_define(name, "", false);
		CHECK(last != 0 || i > 4000);
	}
	CHECK(last == 0);
	CHECK(kymo_series_define("series 0", "", false) != 0);
}
CASE(there_are_not_endlessly_many)

/* The ids that a collector has keep their meaning. */
static void a_child_has_the_same_ids(void)
{
	struct recording *recording;
	uint32_t first, second;
	int status;
	pid_t child;

	fixture_open(NULL);
	kymo_thread_attach();
	first = kymo_series_define("first", "", false);
	second = kymo_series_define("second", "", false);
	child = fork();
	if (child == 0) {
		kymo_series_append(second, 5);
		kymo_runtime_close(0);
		recording = fixture_read(kymo_runtime_recording());
		CHECK(strcmp(recording->series[first].name, "first") == 0);
		CHECK(strcmp(recording->series[second].name, "second") == 0);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
}
CASE(a_child_has_the_same_ids)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_ids_are_of_names_and_threads),
		cmocka_unit_test(test_points_are_read_back),
		cmocka_unit_test(test_there_are_not_endlessly_many),
		cmocka_unit_test(test_a_child_has_the_same_ids),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
