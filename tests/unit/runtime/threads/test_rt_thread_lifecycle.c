/* States of threads through their life. */
#include "runtime/threads/thread.h"

#include "model/recording/recording_open.h"
#include "thread_fixture.h"

static void *visit_once(void *name)
{
	struct kymo_thread_ticket ticket = {0, 1};

	kymo_thread_begin(name ? &ticket : NULL, name);
	visit();
	return NULL;
}

/* Numbers are never used again, states are. */
static void many_threads_one_after_another(void)
{
	struct recording *recording;
	struct kymo_thread *before;

	fixture_open(NULL);
	region = fixture_region("f");
	visit();
	run_thread(visit_once, NULL);
	before = thread_list;
	for (int i = 0; i < 3000; i++)
		run_thread(visit_once, NULL);
	CHECK(state_count() == 1 && thread_list == before);
	kymo_runtime_close(0);
	recording = fixture_read(kymo_runtime_recording());
	CHECK(recording->thread_count == 3002);
	for (uint32_t i = 0; i < recording->thread_count; i++) {
		CHECK(recording->threads[i].is_present && recording->threads[i].end_ticks != 0);
		CHECK(recording->threads[i].end_ticks >= recording->threads[i].start_ticks);
		CHECK(i == 0 ||
		      recording->threads[i].start_ticks >= recording->threads[i - 1].start_ticks);
	}
}

static void names_and_parents(void)
{
	struct recording *recording;

	fixture_open(NULL);
	region = fixture_region("f");
	visit();
	run_thread(visit_once, (char[]){"worker"});
	run_thread(visit_once, NULL);
	kymo_thread_name((uint64_t)getpid(), "main");
	recording = fixture_read(kymo_runtime_recording());
	CHECK(!strcmp(recording->threads[0].name, "main"));
	CHECK(!strcmp(recording->threads[1].name, "worker"));
	CHECK(recording->threads[1].parent == 0);
	CHECK(recording->threads[2].name == NULL);
	CHECK(recording->threads[2].parent == KYMO_NO_THREAD);
	CHECK(recording->threads[2].flags & KYMO_THREAD_ADOPTED);
}

static int stage; /* of the thread that outlives the recording */

static void *outlive(void *unused)
{
	(void)unused;
	kymo_enter(kymo_thread(), region, KYMO_MODE_PROFILE);
	__atomic_store_n(&stage, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&stage, __ATOMIC_ACQUIRE) != 2)
		sched_yield();
	CHECK(kymo_thread()->blocked > 0);
	return NULL;
}

static void *attach_late(void *blocked_out)
{
	*(bool *)blocked_out = kymo_thread()->blocked > 0;
	return NULL;
}

/* What threads do after the end changes nothing in the recording. */
static void threads_after_the_end(void)
{
	struct kymo_node root;
	struct kymo_thread_record record;
	struct kymo_thread *state;
	bool is_blocked = false;
	pthread_t thread;

	fixture_open(NULL);
	region = fixture_region("f");
	CHECK(pthread_create(&thread, NULL, outlive, NULL) == 0);
	while (__atomic_load_n(&stage, __ATOMIC_ACQUIRE) != 1)
		sched_yield();
	state = thread_list;
	kymo_runtime_close(0);
	root = *state->root;
	record = *state->record;
	__atomic_store_n(&stage, 2, __ATOMIC_RELEASE);
	CHECK(pthread_join(thread, NULL) == 0);
	CHECK(!memcmp(&root, state->root, sizeof(root)));
	CHECK(!memcmp(&record, state->record, sizeof(record)));
	run_thread(attach_late, &is_blocked);
	CHECK(is_blocked);
	recording_free(fixture_read(kymo_runtime_recording()));
}

/* When no state can be had a thread gets the blocked one, and ends without harm. */
static void threads_of_a_full_recording(void)
{
	static const char *const settings[] = {"RECORD_LIMIT_MB=1", NULL};

	fixture_open(settings);
	CHECK(dup2(open("/dev/null", O_WRONLY), 2) == 2);
	region = fixture_region("f");
	for (int i = 0; i < 2000; i++)
		run_thread(visit_once, NULL);
	CHECK(store.is_full);
	CHECK(state_count() == 0);
	visit();
	kymo_runtime_close(0);
	recording_free(fixture_read(kymo_runtime_recording()));
}

CASE(many_threads_one_after_another)
CASE(names_and_parents)
CASE(threads_after_the_end)
CASE(threads_of_a_full_recording)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_threads_one_after_another),
		cmocka_unit_test(test_names_and_parents),
		cmocka_unit_test(test_threads_after_the_end),
		cmocka_unit_test(test_threads_of_a_full_recording),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
