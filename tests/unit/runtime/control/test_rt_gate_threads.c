/* Recording switched off and on under threads that begin, end and call meanwhile. */
#include "gate_changes_fixture.h"

static uint32_t thread_region;
static int steps; /* atomic; what the test and its thread wait for in turn */

static void step(int number)
{
	__atomic_store_n(&steps, number, __ATOMIC_RELEASE);
}

static void await(int number)
{
	while (__atomic_load_n(&steps, __ATOMIC_ACQUIRE) != number)
		sched_yield();
}

static void *sleeper(void *unused)
{
	struct kymo_thread *self = kymo_thread();

	(void)unused;
	CHECK(kymo_region_enter(self, thread_region));
	step(1);
	await(2);
	return NULL;
}

/* A thread that ends, or is running when the recording ends, is closed at the last change. */
static void late_thread(bool is_ended)
{
	uint64_t stop, enter, sum;
	struct recording *recording;
	struct calltree *tree;
	pthread_t handle;
	unsigned count;
	double tick_ns;

	open_both();
	thread_region = fixture_region("sleep");
	CHECK(pthread_create(&handle, NULL, sleeper, NULL) == 0);
	await(1);
	stop = pass();
	control(true, stop);
	pass();
	if (is_ended) {
		step(2);
		CHECK(pthread_join(handle, NULL) == 0);
	}
	kymo_runtime_close(0);
	recording = fixture_read(kymo_runtime_recording());
	CHECK(calltree_new(recording, &tree, NULL) == KYMO_OK);
	sum = traced(1, thread_region, &count);
	tick_ns = recording_tick_ns(recording);
	enter = (uint64_t)(tree->nodes[tree->nodes[tree->thread_root[1]].first_child].sum_ns /
				   tick_ns +
			   0.5);
	CHECK(count == 1 && sum == enter);
	CHECK(stop - sum > recording->threads[1].start_ticks);
	expect_tree(1, "sleep*1");
	calltree_free(tree);
	recording_free(recording);
}

static void thread_that_ended(void)
{
	late_thread(true);
}

static void thread_that_runs_on(void)
{
	late_thread(false);
}

static void *newborn(void *unused)
{
	struct kymo_thread *self = kymo_thread();

	(void)unused;
	CHECK(self->gated && !kymo_region_enter(self, thread_region));
	control(false, ticks_now());
	CHECK(kymo_region_enter(self, thread_region));
	kymo_region_leave(self, thread_region);
	return NULL;
}

/* A thread that begins while nothing is recorded. */
static void thread_born_stopped(void)
{
	pthread_t handle;

	open_both();
	thread_region = fixture_region("region");
	control(true, ticks_now());
	CHECK(pthread_create(&handle, NULL, newborn, NULL) == 0);
	CHECK(pthread_join(handle, NULL) == 0);
	kymo_runtime_close(0);
	expect_tree(1, "region*1");
}

#define WORKERS 3

static void descend(struct kymo_thread *self, unsigned depth)
{
	bool is_entered = kymo_region_enter(self, thread_region);

	kymo_user_begin(self, thread_region);
	if (depth > 0)
		descend(self, depth - 1);
	CHECK(kymo_user_end(self, thread_region) == KYMO_USER_ENDED);
	if (is_entered)
		kymo_region_leave(self, thread_region);
}

static void *worker(void *unused)
{
	struct kymo_thread *self = kymo_thread();

	(void)unused;
	kymo_thread_outermost(self, fixture_region("worker"));
	for (unsigned i = 0; !__atomic_load_n(&steps, __ATOMIC_ACQUIRE); i++)
		descend(self, i % 6);
	descend(self, 3); /* recording is on now */
	CHECK(self->record->misused_ends == 0);
	return NULL;
}

static void switched_all_the_time(void)
{
	struct recording *recording;
	pthread_t handles[WORKERS];
	unsigned count;

	open_both();
	thread_region = fixture_region("region");
	for (int i = 0; i < WORKERS; i++)
		CHECK(pthread_create(&handles[i], NULL, worker, NULL) == 0);
	for (int i = 0; i < 2000; i++) {
		control(i % 2 == 0, ticks_now());
		pass();
	}
	step(1);
	for (int i = 0; i < WORKERS; i++)
		CHECK(pthread_join(handles[i], NULL) == 0);
	kymo_runtime_close(0);
	recording = fixture_read(kymo_runtime_recording());
	CHECK(recording->thread_count == WORKERS + 1);
	for (uint32_t i = 1; i <= WORKERS; i++) {
		CHECK(recording->threads[i].resynced == 0);
		CHECK(recording->threads[i].lost_events == 0);
		traced(i, thread_region, &count);
		CHECK(count > 0);
	}
	recording_free(recording);
}

CASE(thread_that_ended)
CASE(thread_that_runs_on)
CASE(thread_born_stopped)

CASE(switched_all_the_time)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_thread_that_ended),
		cmocka_unit_test(test_thread_that_runs_on),
		cmocka_unit_test(test_thread_born_stopped),
		cmocka_unit_test(test_switched_all_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
