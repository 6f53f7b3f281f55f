/* Metrics that a collector provides: their names, and what is read where. */
#include "runtime/counters.h"

#include "format/metric.h"
#include "runtime/hot.h"
#include "runtime_fixture.h"

#define CASE(name)                                                                                 \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		fixture_run(name);                                                                 \
	}

static const struct kymo_counter_name names[] = {{"perf::ONE", "", "What one counts"},
						 {"perf::TWO", "ns", "What two counts"}};
static uint64_t stand;
static unsigned closed;

static unsigned begin(const struct kymo_counter_name **names_out)
{
	*names_out = names;
	return 2;
}

static void read_counters(uint64_t *values)
{
	values[0] = stand;
	values[1] = 10 * stand;
}

static void nothing(void)
{
}

static void count_close(void)
{
	closed++;
}

static const struct kymo_counters ours = {begin, read_counters, nothing, nothing, count_close};

static void named_and_read(void)
{
	struct recording *recording;
	struct kymo_thread *thread;
	uint32_t region;

	CHECK(kymo_counters_provide(&ours));
	fixture_open(NULL);
	CHECK(counters_are_on());
	CHECK(!kymo_counters_provide(&ours)); /* too late */
	region = fixture_region("work");
	thread = kymo_thread_attach();
	kymo_enter(thread, region, KYMO_MODE_PROFILE | KYMO_MODE_METRICS);
	stand += 7;
	kymo_leave(thread, region, KYMO_EVENT_LEAVE, KYMO_MODE_PROFILE | KYMO_MODE_METRICS);
	kymo_runtime_close(0);
	CHECK(closed == 1);
	recording = fixture_read(kymo_runtime_recording());
	CHECK(metric_find("perf::ONE") && metric_find("perf::TWO"));
	CHECK(strcmp(metric_find("perf::TWO")->description, "What two counts") == 0);
	CHECK(recording->header.metric_count >= 2);
}
CASE(named_and_read)

/* Without one there is nothing to call. */
static void nobody_provides(void)
{
	uint32_t metrics[KYMO_METRICS_MAX];

	fixture_open(NULL);
	CHECK(!counters_are_on());
	CHECK(counters_select(metrics, 0) == 0);
	counters_end_thread();
	counters_forked();
	counters_note();
	kymo_runtime_close(0);
}
CASE(nobody_provides)

/* As many as there is room for beside the others. */
static void room_is_bounded(void)
{
	uint32_t metrics[KYMO_METRICS_MAX] = {0};

	CHECK(kymo_counters_provide(&ours));
	CHECK(counters_select(metrics, KYMO_METRICS_MAX - 1) == KYMO_METRICS_MAX);
	CHECK(metrics[KYMO_METRICS_MAX - 1] == KYMO_METRIC_NAMED);
}
CASE(room_is_bounded)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_named_and_read),
		cmocka_unit_test(test_nobody_provides),
		cmocka_unit_test(test_room_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
