/* States of threads through their life: recycled, blocked, ended late, forked. */
#include "runtime/threads/thread.h"

#include <pthread.h>

#include "model/tree/calltree.h"
#include "runtime/lifecycle/session.h"
#include "runtime/store/store.h"
#include "runtime_fixture.h"

static uint32_t region;

/* As collectors do it. */
static void visit(void)
{
	if (kymo_thread()->blocked)
		return;
	kymo_enter(kymo_thread(), region, KYMO_MODE_PROFILE);
	kymo_leave(kymo_thread(), region, KYMO_EVENT_LEAVE, KYMO_MODE_PROFILE);
}

static void *visit_once(void *name)
{
	struct kymo_thread_ticket ticket = {0, 1};

	kymo_thread_begin(name ? &ticket : NULL, name);
	visit();
	return NULL;
}

static void run_thread(void *(*body)(void *), void *argument)
{
	pthread_t thread;

	CHECK(pthread_create(&thread, NULL, body, argument) == 0);
	CHECK(pthread_join(thread, NULL) == 0);
}

static size_t state_count(void)
{
	size_t count = 0;

	for (const struct kymo_thread *thread = thread_list; thread; thread = thread->next)
		count++;
	return count;
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

static void wait_for_child(pid_t child)
{
	int status;

	CHECK(child > 0);
	CHECK(waitpid(child, &status, 0) == child && status == 0);
}

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

static size_t count_files(void)
{
	DIR *stream = opendir(fixture_directory);
	size_t count = 0;

	while (readdir(stream))
		count++;
	closedir(stream);
	return count - 2;
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

/* Without the checks for leaks that a sanitizer makes at exit. */
static void exit_at_once(void)
{
	_exit(0);
}

/* The child's only thread ends, and with it the child. */
static void end_thread(void)
{
	atexit(exit_at_once);
	pthread_exit(NULL);
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

static void lanes_are_used_again(void)
{
	struct kymo_thread *own, *fiber;

	fixture_open(NULL);
	region = fixture_region("f");
	own = kymo_thread();
	for (int i = 0; i < 100; i++) {
		fiber = kymo_fiber_get("greenlet");
		CHECK(fiber != NULL && fiber != own && kymo_fiber_is_valid(fiber));
		CHECK(kymo_fiber_switch(fiber) == own);
		kymo_enter(kymo_thread(), region, KYMO_MODE_PROFILE);
		CHECK(kymo_fiber_switch(own) == fiber);
		CHECK(own->current == own->root);
		kymo_fiber_put(fiber);
		CHECK(fiber->current == fiber->root);
	}
	CHECK(state_count() == 2);
}

/* A fiber from before a fork is of no use in the child, nor is it written to. */
static void lanes_end_with_a_fork(void)
{
	struct kymo_thread *own, *fiber;
	pid_t child;

	fixture_open(NULL);
	region = fixture_region("f");
	own = kymo_thread();
	fiber = kymo_fiber_get("greenlet");
	kymo_fiber_switch(fiber);
	kymo_enter(kymo_thread(), region, KYMO_MODE_PROFILE);
	kymo_fiber_switch(own);
	child = fork();
	if (child == 0) {
		CHECK(!kymo_fiber_is_valid(fiber));
		kymo_fiber_put(fiber);
		CHECK(fiber->current->region == region && fiber->current->enter != 0);
		CHECK(kymo_thread() != own && !kymo_fiber_is_valid(own));
		CHECK(!kymo_fiber_is_valid(fiber));
		kymo_fiber_put(fiber);
		_exit(0);
	}
	wait_for_child(child);
	CHECK(fiber->current->region == region && fiber->current->enter != 0);
	CHECK(kymo_fiber_is_valid(fiber));
	kymo_runtime_close(0);
	CHECK(!kymo_fiber_is_valid(fiber));
}

static void *fork_on_a_lane(void *unused)
{
	struct kymo_thread *own = kymo_thread(), *fiber = kymo_fiber_get("greenlet");
	pid_t child;

	(void)unused;
	kymo_fiber_switch(fiber);
	kymo_enter(kymo_thread(), region, KYMO_MODE_PROFILE);
	child = fork();
	if (child == 0) {
		CHECK(kymo_thread()->is_fiber && kymo_thread() != fiber);
		CHECK(kymo_thread()->current->region == region);
		CHECK(!kymo_fiber_is_valid(own));
		end_thread();
	}
	wait_for_child(child);
	kymo_fiber_switch(own);
	return NULL;
}

static void fork_on_a_lane_of_a_thread(void)
{
	fixture_open(NULL);
	region = fixture_region("f");
	run_thread(fork_on_a_lane, NULL);
	CHECK(count_files() == 2);
}

#define CASE(name)                                                                                 \
	static void test_##name(void **state)                                                      \
	{                                                                                          \
		(void)state;                                                                       \
		fixture_run(name);                                                                 \
	}
CASE(many_threads_one_after_another)
CASE(names_and_parents)
CASE(threads_after_the_end)
CASE(threads_of_a_full_recording)
CASE(fork_inside_a_region)
CASE(fork_without_events)
CASE(fork_before_the_parent_goes_on)
CASE(fork_in_a_thread_that_ends)
CASE(fork_while_the_lock_is_held)
CASE(lanes_are_used_again)
CASE(lanes_end_with_a_fork)
CASE(fork_on_a_lane_of_a_thread)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_many_threads_one_after_another),
		cmocka_unit_test(test_names_and_parents),
		cmocka_unit_test(test_threads_after_the_end),
		cmocka_unit_test(test_threads_of_a_full_recording),
		cmocka_unit_test(test_fork_inside_a_region),
		cmocka_unit_test(test_fork_without_events),
		cmocka_unit_test(test_fork_before_the_parent_goes_on),
		cmocka_unit_test(test_fork_in_a_thread_that_ends),
		cmocka_unit_test(test_fork_while_the_lock_is_held),
		cmocka_unit_test(test_lanes_are_used_again),
		cmocka_unit_test(test_lanes_end_with_a_fork),
		cmocka_unit_test(test_fork_on_a_lane_of_a_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
