/* Recording switched off and on under a thread that notices late. */
#include "runtime/control/gate.h"

#include "gate_changes_fixture.h"

/* The node below the root that has a region; fails when there is none. */
static const struct kymo_node *node_of(uint32_t region)
{
	const struct kymo_node *node = kymo_node_at(thread, thread->root->cache);

	CHECK(node->region == region);
	return node;
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

CASE(closed_at_the_time_of_the_change)
CASE(whole_stop_unseen)
CASE(changes_beyond_the_log)
CASE(noticed_late)
CASE(folded_paths)
CASE(all_have_to_admit)
CASE(stopped_run)
CASE(users_regions)
CASE(outermost_region)

CASE(any_changes)

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
		cmocka_unit_test(test_any_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
