/* Threads over a fork. */
#include "runtime/threads/thread.h"

#include "model/recording/recording_open.h"
#include "runtime/store/note.h"
#include "thread_fixture.h"

static const struct calltree_node *only_child(const struct calltree *tree, uint32_t node)
{
	uint32_t child = tree->nodes[node].first_child;

	CHECK(child != CALLTREE_NONE && tree->nodes[child].next_sibling == CALLTREE_NONE);
	return &tree->nodes[child];
}

/* The child goes on where the parent stood; its parent's recording is not touched. */
static void fork_inside_a_region(void)
{
	uint32_t outer, inner;
	struct recording *recording;
	struct calltree *tree;
	struct problem problem;
	pid_t child;

	fixture_open(NULL);
	outer = fixture_region("outer");
	inner = fixture_region("inner");
	kymo_enter(kymo_thread(), outer, KYMO_MODE_PROFILE);
	child = fork();
	if (child == 0) {
		alarm(CASE_TIMEOUT_S);
		kymo_enter(kymo_thread(), inner, KYMO_MODE_PROFILE);
		kymo_leave(kymo_thread(), inner, KYMO_EVENT_LEAVE, KYMO_MODE_PROFILE);
		kymo_leave(kymo_thread(), outer, KYMO_EVENT_LEAVE, KYMO_MODE_PROFILE);
		kymo_runtime_close(7);
		recording = fixture_read(kymo_runtime_recording());
		CHECK(recording->header.flags & KYMO_HEADER_FORKED);
		CHECK(recording->header.parent_pid == (uint32_t)getppid());
		CHECK(recording->header.exit_status == 7);
		CHECK(calltree_new(recording, &tree, &problem) == KYMO_OK);
		CHECK(only_child(tree, 0)->region == outer && only_child(tree, 0)->count == 0);
		CHECK(tree->node_count == 3 && tree->nodes[2].region == inner);
		CHECK(tree->nodes[2].count == 1 && tree->call_count == 1);
		_exit(0);
	}
	wait_for_child(child);
	CHECK(kymo_thread()->current->region == outer);
	kymo_leave(kymo_thread(), outer, KYMO_EVENT_LEAVE, KYMO_MODE_PROFILE);
	CHECK(kymo_thread()->record->resynced == 0);
	CHECK(fixture_read(kymo_runtime_recording())->region_count == 3);
}

/* A child without an event costs no file, and a grandchild has the same path. */
static void fork_without_events(void)
{
	pid_t child;

	fixture_open(NULL);
	region = fixture_region("f");
	kymo_enter(kymo_thread(), region, KYMO_MODE_PROFILE);
	child = fork();
	if (child == 0) {
		CHECK(count_files() == 1);
		child = fork();
		if (child == 0) {
			CHECK(kymo_thread()->current->region == region);
			CHECK(count_files() == 2);
			_exit(0);
		}
		wait_for_child(child);
		kymo_runtime_close(0);
		CHECK(count_files() == 2);
		_exit(0);
	}
	wait_for_child(child);
	CHECK(count_files() == 2);
}

/* The parent's recording grows beyond what the child has mapped before the child begins
 * its own: chunks from after the fork are none of the child's business. */
static void fork_before_the_parent_goes_on(void)
{
	const struct recording *recording;
	int ready[2];
	pid_t child;
	char byte;

	fixture_open(NULL);
	CHECK(pipe(ready) == 0);
	kymo_note_add(KYMO_NOTE_INFO, "when", "before");
	child = fork();
	if (child == 0) {
		alarm(CASE_TIMEOUT_S);
		CHECK(read(ready[0], &byte, 1) == 1);
		kymo_thread();
		recording = fixture_read(kymo_runtime_recording());
		CHECK(recording_note(recording, KYMO_NOTE_INFO, "when") != NULL);
		_exit(0);
	}
	for (int i = 0; i < 1000; i++)
		kymo_note_add(KYMO_NOTE_INFO, "when", "after");
	CHECK(store_lock() && store_chunk(KYMO_CHUNK_EVENTS, 1 << 22, 0, 8) != NULL);
	store_unlock();
	kymo_note_add(KYMO_NOTE_INFO, "when", "after");
	CHECK(write(ready[1], "x", 1) == 1);
	wait_for_child(child);
}

static void *fork_here(void *unused)
{
	pid_t child = fork();

	(void)unused;
	if (child == 0)
		end_thread(); /* the state from before the fork must not be ended */
	wait_for_child(child);
	return NULL;
}

/* The only thread of a forked child ends before any event. */
static void fork_in_a_thread_that_ends(void)
{
	uint64_t end;

	fixture_open(NULL);
	region = fixture_region("f");
	visit();
	end = store.header->end;
	run_thread(fork_here, NULL);
	CHECK(store.header->end == end && count_files() == 1);
}

static int stage; /* of the thread that holds it */

static void *hold_lock(void *unused)
{
	(void)unused;
	CHECK(store_lock());
	__atomic_store_n(&stage, 1, __ATOMIC_RELEASE);
	while (__atomic_load_n(&stage, __ATOMIC_ACQUIRE) != 2)
		sched_yield();
	store_unlock();
	return NULL;
}

/* After the end another thread may hold the lock at a fork; the child must not wait. */
static void fork_while_the_lock_is_held(void)
{
	pthread_t thread;
	pid_t child;

	fixture_open(NULL);
	kymo_runtime_close(0);
	CHECK(pthread_create(&thread, NULL, hold_lock, NULL) == 0);
	while (__atomic_load_n(&stage, __ATOMIC_ACQUIRE) != 1)
		sched_yield();
	child = fork();
	if (child == 0) {
		alarm(10);
		CHECK(store_lock());
		_exit(0);
	}
	wait_for_child(child);
	__atomic_store_n(&stage, 2, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

CASE(fork_inside_a_region)
CASE(fork_without_events)
CASE(fork_before_the_parent_goes_on)
CASE(fork_in_a_thread_that_ends)
CASE(fork_while_the_lock_is_held)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fork_inside_a_region),
		cmocka_unit_test(test_fork_without_events),
		cmocka_unit_test(test_fork_before_the_parent_goes_on),
		cmocka_unit_test(test_fork_in_a_thread_that_ends),
		cmocka_unit_test(test_fork_while_the_lock_is_held),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
