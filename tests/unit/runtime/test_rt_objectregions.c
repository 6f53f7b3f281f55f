/* Regions of objects: one for each, found by its address, from many threads, over a fork. */
#include "runtime/objectregions.h"

#include <pthread.h>

#include "model/recording/recording.h"
#include "model/recording/recording_open.h"
#include "runtime/store/store.h"
#include "runtime/store/tables.h"
#include "runtime_fixture.h"

#define THREADS 6
#define OBJECTS 3000

static struct kymo_object_regions lock_regions = KYMO_OBJECT_REGIONS("lock");
static struct kymo_object_regions wait_regions = KYMO_OBJECT_REGIONS("wait");

static const void *object_at(uintptr_t address)
{
	return (const void *)address;
}

static bool is_region(uint32_t id, const char *name, const char *arguments, uint32_t flags)
{
	const struct kymo_region *region = region_record(id);

	return region && region->kind == KYMO_REGION_PTHREAD && region->flags == flags &&
	       !strcmp(string_text(region->name), name) &&
	       !strcmp(string_text(region->arguments), arguments);
}

static void each_object_has_its_own(void)
{
	uint32_t first, second, other;

	fixture_open(NULL);
	first = kymo_object_region(&lock_regions, object_at(0xabc0));
	second = kymo_object_region(&lock_regions, object_at(0xabc8));
	other = kymo_object_region(&wait_regions, object_at(0xabc0));
	CHECK(first && second && other && first != second && first != other && second != other);
	CHECK(kymo_object_region(&lock_regions, object_at(0xabc0)) == first);
	CHECK(kymo_object_region(&lock_regions, object_at(0xabc8)) == second);
	CHECK(is_region(first, "lock", "(0xabc0)", KYMO_REGION_OBJECT));
	CHECK(is_region(second, "lock", "(0xabc8)", KYMO_REGION_OBJECT));
	CHECK(is_region(other, "wait", "(0xabc0)", KYMO_REGION_OBJECT));
}

static void no_object_has_none(void)
{
	fixture_open(NULL);
	CHECK(kymo_object_region(&lock_regions, NULL) == 0);
	CHECK(kymo_object_region(&lock_regions, object_at(16)) != 0);
	CHECK(kymo_object_region(&lock_regions, NULL) == 0);
}

static void there_are_none_before_opening_or_after_the_end(void)
{
	CHECK(kymo_object_region(&lock_regions, object_at(16)) == 0);
	fixture_open(NULL);
	CHECK(kymo_object_region(&lock_regions, object_at(16)) != 0);
	kymo_runtime_close(0);
	CHECK(kymo_object_region(&lock_regions, object_at(32)) == 0);
	CHECK(kymo_object_region(&lock_regions, object_at(16)) != 0); /* it is still known */
}

static size_t loss_count(const struct recording *recording)
{
	size_t count = 0;

	for (size_t i = 0; i < recording->note_count; i++)
		count += recording->notes[i].kind == KYMO_NOTE_LOSS;
	return count;
}

static void beyond_the_limit_they_share_one(void)
{
	struct recording *recording;
	uint32_t before, others;

	fixture_open(NULL);
	before = region_count();
	for (uintptr_t i = 1; i <= KYMO_OBJECTS_MAX; i++)
		CHECK(kymo_object_region(&lock_regions, object_at(i * 40)) == before + i - 1);
	others = kymo_object_region(&lock_regions, object_at(8));
	CHECK(is_region(others, "lock", "(others)", 0));
	for (uintptr_t i = 1; i <= 100; i++)
		CHECK(kymo_object_region(&lock_regions, object_at(i * 40 + 4)) == others);
	for (uintptr_t i = 1; i <= KYMO_OBJECTS_MAX; i++)
		CHECK(kymo_object_region(&lock_regions, object_at(i * 40)) == before + i - 1);
	CHECK(kymo_object_region(&wait_regions, object_at(8)) != others);
	kymo_runtime_close(0);
	recording = fixture_read(kymo_runtime_recording());
	CHECK(loss_count(recording) == 1);
	recording_free(recording);
}

static uint32_t seen[THREADS][OBJECTS];

static void *look_up_all(void *argument)
{
	uint32_t *own = argument;

	for (uintptr_t i = 0; i < OBJECTS; i++)
		own[i] = kymo_object_region(&lock_regions, object_at((i + 1) * 64));
	return NULL;
}

static void threads_agree(void)
{
	pthread_t threads[THREADS];

	fixture_open(NULL);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_create(&threads[i], NULL, look_up_all, seen[i]) == 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(pthread_join(threads[i], NULL) == 0);
	for (int i = 0; i < THREADS; i++)
		CHECK(!memcmp(seen[i], seen[0], sizeof(seen[0])));
	for (uintptr_t i = 1; i < OBJECTS; i++)
		CHECK(seen[0][i] && seen[0][i] != seen[0][i - 1]);
}

static void check_child(uint32_t region)
{
	CHECK(kymo_thread()->record); /* its own recording is made here */
	CHECK(kymo_object_region(&lock_regions, object_at(0xabc0)) == region);
	CHECK(is_region(region, "lock", "(0xabc0)", KYMO_REGION_OBJECT));
	CHECK(kymo_object_region(&lock_regions, object_at(0xdef0)) == region + 1);
}

static void they_stay_valid_over_a_fork(void)
{
	uint32_t region;
	int status = -1;
	pid_t child;

	fixture_open(NULL);
	region = kymo_object_region(&lock_regions, object_at(0xabc0));
	CHECK(kymo_thread()->record);
	child = fork();
	if (child == 0) {
		check_child(region);
		_exit(0);
	}
	CHECK(waitpid(child, &status, 0) == child && status == 0);
}

#define CASE(name)                                                                                 \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		fixture_run(name);                                                                 \
	}
CASE(each_object_has_its_own)
CASE(no_object_has_none)
CASE(there_are_none_before_opening_or_after_the_end)
CASE(beyond_the_limit_they_share_one)
CASE(threads_agree)
CASE(they_stay_valid_over_a_fork)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_object_has_its_own),
		cmocka_unit_test(test_no_object_has_none),
		cmocka_unit_test(test_there_are_none_before_opening_or_after_the_end),
		cmocka_unit_test(test_beyond_the_limit_they_share_one),
		cmocka_unit_test(test_threads_agree),
		cmocka_unit_test(test_they_stay_valid_over_a_fork),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
