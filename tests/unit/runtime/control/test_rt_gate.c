/* Recording switched off and on under threads that notice late, or never. */
#include "runtime/control/gate.h"

#include "gate_fixture.h"
#include "model/recording/recording_open.h"
#include "model/trace/trace_cursor.h"

/* Change number of the gate from outside, as of ticks. */
static void change(uint32_t cause, bool is_off, uint64_t ticks)
{
	CHECK(gateword_change(store.header, cause, is_off, ticks));
}

static void control(bool is_off, uint64_t ticks)
{
	change(KYMO_GATE_BY_CONTROL, is_off, ticks);
}

/* The clock passes some ticks. */
static uint64_t pass(void)
{
	uint64_t begin = ticks_now();

	while (ticks_now() < begin + 20000)
		;
	return ticks_now();
}

static void open_both(void)
{
	static const char *const settings[] = {"TRACE=ON", "PROFILE=ON", "CLOCK=monotonic", NULL};

	fixture_open(settings);
	thread = kymo_thread();
}

/* The node below the root that has a region; fails when there is none. */
static const struct kymo_node *node_of(uint32_t region)
{
	const struct kymo_node *node = kymo_node_at(thread, thread->root->cache);

	CHECK(node->region == region);
	return node;
}

/* The time of a region in the trace of a thread of the closed recording, and how often. */
static uint64_t traced(uint32_t number, uint32_t region, unsigned *count_out)
{
	struct recording *recording = fixture_read(kymo_runtime_recording());
	struct trace_cursor *cursor;
	struct trace_event event;
	uint64_t since = 0, sum = 0, last = 0;

	*count_out = 0;
	CHECK(trace_cursor_new(recording, number, &cursor) == KYMO_OK);
	while (trace_cursor_next(cursor, &event)) {
		CHECK(event.ticks >= last);
		last = event.ticks;
		if (event.region != region)
			continue;
		*count_out += event.kind == TRACE_ENTER;
		if (event.kind == TRACE_ENTER)
			since = event.ticks;
		else
			sum += event.ticks - since;
	}
	trace_cursor_free(cursor);
	recording_free(recording);
	return sum;
}

static void closed_at_the_time_of_the_change(void)
{
	uint32_t region, inner;
	uint64_t stop, begin;
	unsigned count;

	open_both();
	region = fixture_region("region");
	inner = fixture_region("inner");
	CHECK(kymo_region_enter(thread, region) && kymo_region_enter(thread, inner));
	begin = node_of(region)->enter;
	stop = pass();
	control(true, stop);
	pass();
	kymo_region_leave(thread, inner);
	CHECK(thread->gated && thread->current == thread->root);
	CHECK(node_of(region)->enter == 0 && node_of(region)->sum == stop - begin);
	CHECK(!kymo_region_enter(thread, inner));
	control(false, ticks_now());
	kymo_region_leave(thread, region); /* it was closed */
	CHECK(thread->current == thread->root && !thread->gated && thread->blocked == 0);
	CHECK(kymo_region_enter(thread, region));
	kymo_region_leave(thread, region);
	CHECK(node_of(region)->count == 2);
	CHECK(thread->record->resynced == 0 && thread->record->lost_events == 0);
	begin = stop - begin + node_of(region)->sum - (stop - begin);
	kymo_runtime_close(0);
	CHECK(traced(0, region, &count) == begin && count == 2);
	expect_tree(0, "region*2(inner*1)");
}

/* Off and on again before the thread looks: what was open is closed all the same. */
static void whole_stop_unseen(void)
{
	uint64_t stop, begin;
	uint32_t region;

	open_both();
	region = fixture_region("region");
	CHECK(kymo_region_enter(thread, region));
	begin = node_of(region)->enter;
	stop = pass();
	for (int i = 0; i < 3; i++) {
		control(true, i ? ticks_now() : stop);
		control(false, pass());
	}
	CHECK(kymo_region_enter(thread, region)); /* a recursion */
	CHECK(thread->current->parent == ((const char *)thread->root - thread->base) / 64);
	CHECK(node_of(region)->sum == stop - begin && node_of(region)->count == 2);
	kymo_region_leave(thread, region);
	kymo_region_leave(thread, region); /* the outer one */
	CHECK(thread->current == thread->root && thread->record->resynced == 0);
	kymo_runtime_close(0);
	expect_tree(0, "region*2");
}

/* More changes than the log holds: the time of the oldest that is known counts. */
static void changes_beyond_the_log(void)
{
	uint64_t begin, before, after;
	uint32_t region;

	open_both();
	region = fixture_region("region");
	CHECK(kymo_region_enter(thread, region));
	begin = node_of(region)->enter;
	before = ticks_now();
	for (int i = 0; i < 5 * KYMO_GATE_LOG_COUNT; i++)
		control(i % 2 == 0, ticks_now());
	after = ticks_now();
	CHECK(kymo_admits(thread) && thread->current == thread->root);
	CHECK(node_of(region)->sum > before - begin && node_of(region)->sum < after - begin);
	kymo_runtime_close(0);
	expect_tree(0, "region*1");
}

/* The change is of a time before events that the thread had made when it noticed. */
static void noticed_late(void)
{
	uint64_t before;
	uint32_t region;
	unsigned count;

	open_both();
	region = fixture_region("region");
	before = pass();
	for (int i = 0; i < 2; i++) {
		CHECK(kymo_region_enter(thread, region));
		pass();
		if (i == 0)
			kymo_region_leave(thread, region);
	}
	control(true, before);
	CHECK(!kymo_admits(thread));
	CHECK(node_of(region)->count == 2 && node_of(region)->min == 0);
	before = node_of(region)->sum;
	kymo_runtime_close(0);
	CHECK(traced(0, region, &count) == before && count == 2);
}

static void folded_paths(void)
{
	static const char *const settings[] = {"MAX_DEPTH=1", "CLOCK=monotonic", NULL};
	uint32_t region;
	uint64_t stop;

	fixture_open(settings);
	thread = kymo_thread();
	region = fixture_region("region");
	for (int i = 0; i < 5; i++)
		CHECK(kymo_region_enter(thread, region));
	stop = pass();
	control(true, stop);
	for (int i = 0; i < 5; i++)
		kymo_region_leave(thread, region);
	control(false, ticks_now());
	for (int i = 0; i < 2; i++)
		CHECK(kymo_region_enter(thread, region));
	for (int i = 0; i < 2; i++)
		kymo_region_leave(thread, region);
	CHECK(thread->current == thread->root && thread->record->resynced == 0);
	kymo_runtime_close(0);
	expect_tree(0, "region*2(region*5)");
}

static void all_have_to_admit(void)
{
	uint64_t first, second;

	open_both();
	first = pass();
	CHECK(gate_switch(false) && !kymo_admits(thread));
	control(true, ticks_now());
	CHECK(gate_switch(true) && !kymo_admits(thread));
	CHECK(gate_switch(true));
	CHECK(!gateword_change(store.header, KYMO_GATE_BY_CONTROL, true, 0));
	control(false, ticks_now());
	CHECK(kymo_admits(thread) && store.header->gate == 2);
	/* A second cause that is noticed late was there earlier. */
	first = pass();
	second = pass();
	control(true, second);
	change(KYMO_GATE_BY_WINDOW, true, first);
	CHECK(gateword_time(store.header, 3) == first);
	/* And the one that goes is of a time when the other one was still there. */
	control(false, second + 1000);
	change(KYMO_GATE_BY_WINDOW, false, second);
	CHECK(store.header->gate == 4 && store.header->gate_causes == 0);
	CHECK(gateword_time(store.header, 4) == second + 1000);
	CHECK(gateword_cut(store.header, UINT64_MAX) == UINT64_MAX);
	control(true, second + 2000);
	CHECK(gateword_cut(store.header, UINT64_MAX) == second + 2000);
	CHECK(gateword_cut(store.header, second) == second);
}

static void stopped_run(void)
{
	char path[sizeof(fixture_directory) + 16];

	snprintf(path, sizeof(path), "%s/stopped", fixture_directory);
	CHECK(close(open(path, O_CREAT | O_WRONLY, 0600)) == 0);
	open_both();
	CHECK(!kymo_region_enter(thread, fixture_region("region")));
	CHECK(store.header->gate_causes == KYMO_GATE_BY_CONTROL);
	control(false, ticks_now());
	CHECK(kymo_region_enter(thread, fixture_region("region")));
	kymo_region_leave(thread, fixture_region("region"));
	kymo_runtime_close(0);
	expect_tree(0, "region*1");
}

static void users_regions(void)
{
	uint32_t a, b;

	open_both();
	a = fixture_region("a");
	b = fixture_region("b");
	kymo_user_begin(thread, a);
	kymo_user_begin(thread, b);
	kymo_user_begin(thread, a);
	control(true, ticks_now());
	CHECK(kymo_user_end(thread, a) == KYMO_USER_ENDED);
	kymo_user_begin(thread, b); /* not recorded */
	control(false, ticks_now());
	CHECK(kymo_user_innermost(thread) == b);
	CHECK(kymo_user_end(thread, b) == KYMO_USER_ENDED);
	kymo_user_begin(thread, a); /* recorded, at the root */
	CHECK(kymo_user_end(thread, a) == KYMO_USER_ENDED);
	CHECK(kymo_user_end(thread, b) == KYMO_USER_ENDED);
	CHECK(kymo_user_end(thread, a) == KYMO_USER_ENDED);
	CHECK(kymo_user_innermost(thread) == 0);
	CHECK(thread->record->misused_ends == 0 && thread->record->resynced == 0);
	kymo_runtime_close(0);
	expect_tree(0, "a*2(b*1(a*1))");
	CHECK(warnings("") == 0);
}

/* As a program under `kymo run` has it: the root region is there again after each stop. */
static void outermost_region(void)
{
	uint32_t program, region;

	open_both();
	program = fixture_region("program");
	region = fixture_region("region");
	kymo_thread_outermost(thread, program);
	CHECK(kymo_region_enter(thread, region));
	control(true, pass());
	CHECK(!kymo_admits(thread));
	control(false, pass());
	kymo_region_leave(thread, region);
	CHECK(thread->current->region == program && thread->record->resynced == 0);
	CHECK(kymo_region_enter(thread, region));
	kymo_region_leave(thread, region);
	kymo_runtime_close(0);
	expect_tree(0, "program*2(region*2)");
}

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

static uint64_t seed = 1;

static uint64_t random_below(uint64_t limit)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (seed >> 33) % limit;
}

/* The outermost region is open whenever recording is on: its time is that of all windows. */
static void any_changes(void)
{
	uint64_t now, on_since, visits, sum = 0;
	uint32_t program, region;
	bool is_on = true;
	unsigned count;

	open_both();
	program = fixture_region("program");
	region = fixture_region("region");
	kymo_thread_outermost(thread, program);
	on_since = now = node_of(program)->enter;
	for (int round = 0; round < 2000; round++) {
		for (uint64_t changes = random_below(4); changes > 0; changes--) {
			now = now + random_below(ticks_now() - now + 1);
			is_on = !is_on;
			control(!is_on, now);
			if (!is_on)
				sum += now - on_since;
			on_since = now;
		}
		if (kymo_region_enter(thread, region))
			kymo_region_leave(thread, region);
		now = ticks_now();
	}
	if (is_on) {
		control(true, now);
		sum += now - on_since;
	}
	CHECK(!kymo_admits(thread));
	CHECK(node_of(program)->sum == sum && thread->record->resynced == 0);
	visits = node_of(program)->count;
	kymo_runtime_close(0);
	CHECK(traced(0, program, &count) == sum && count == visits);
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

CASE(closed_at_the_time_of_the_change)
CASE(whole_stop_unseen)
CASE(changes_beyond_the_log)
CASE(noticed_late)
CASE(folded_paths)
CASE(all_have_to_admit)
CASE(stopped_run)
CASE(users_regions)
CASE(outermost_region)
CASE(thread_that_ended)
CASE(thread_that_runs_on)
CASE(thread_born_stopped)
CASE(any_changes)
CASE(switched_all_the_time)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_closed_at_the_time_of_the_change),
		cmocka_unit_test(test_whole_stop_unseen),
		cmocka_unit_test(test_changes_beyond_the_log),
		cmocka_unit_test(test_noticed_late),
		cmocka_unit_test(test_folded_paths),
		cmocka_unit_test(test_all_have_to_admit),
		cmocka_unit_test(test_stopped_run),
		cmocka_unit_test(test_users_regions),
		cmocka_unit_test(test_outermost_region),
		cmocka_unit_test(test_thread_that_ended),
		cmocka_unit_test(test_thread_that_runs_on),
		cmocka_unit_test(test_thread_born_stopped),
		cmocka_unit_test(test_any_changes),
		cmocka_unit_test(test_switched_all_the_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
