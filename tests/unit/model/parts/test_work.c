/* What of the time of call paths is work, in a tree and in a merged recording of it. */
#include "model/parts/work.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "merge/merge_add.h"
#include "merge/merge_state.h"
#include "model/parts/parts.h"
#include "model/parts/parts_spread.h"
#include "model/recording/recording_open.h"
#include "synthetic.h"

struct fixture {
	struct synthetic *made;
	struct recording *recording;
	struct calltree *tree;
	uint32_t main, work, receive, wait, inner;
};

/* main { work { inner } work { receive { inner } } wait }, and a thread that never left a wait. */
static void set_up(struct fixture *fixture)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE);

	fixture->made = made;
	fixture->main = synthetic_region(made, KYMO_REGION_NATIVE, "main");
	fixture->work = synthetic_region(made, KYMO_REGION_NATIVE, "work");
	fixture->receive = synthetic_region(made, KYMO_REGION_NATIVE, "MPI_Recv");
	fixture->wait = synthetic_region(made, KYMO_REGION_PTHREAD, "pthread_cond_wait");
	fixture->inner = synthetic_region(made, KYMO_REGION_NATIVE, "inner");
	synthetic_region_at(made, fixture->wait)->flags |= KYMO_REGION_OBJECT;
	synthetic_thread(made, KYMO_NO_THREAD, "MainThread", 0);
	synthetic_thread(made, 0, "pool", 0);
	synthetic_thread_at(made, 0)->cpu_ns = 900;
	synthetic_thread_at(made, 1)->cpu_ns = 1;
	synthetic_enter(made, 0, fixture->main, 0);
	synthetic_enter(made, 0, fixture->work, 100);
	synthetic_enter(made, 0, fixture->inner, 150);
	synthetic_leave(made, 0, fixture->inner, 170);
	synthetic_leave(made, 0, fixture->work, 200);
	synthetic_enter(made, 0, fixture->work, 300);
	synthetic_enter(made, 0, fixture->receive, 320);
	synthetic_enter(made, 0, fixture->inner, 330);
	synthetic_leave(made, 0, fixture->inner, 400);
	synthetic_leave(made, 0, fixture->receive, 420);
	synthetic_leave(made, 0, fixture->work, 450);
	synthetic_enter(made, 0, fixture->wait, 500);
	synthetic_leave(made, 0, fixture->wait, 800);
	synthetic_leave(made, 0, fixture->main, 900);
	synthetic_enter(made, 1, fixture->inner, 0);
	synthetic_leave(made, 1, fixture->inner, 1000);
	synthetic_close(made, 1000);
	fixture->recording = synthetic_open(made);
	assert_int_equal(calltree_new(fixture->recording, &fixture->tree, NULL), KYMO_OK);
}

static void tear_down(struct fixture *fixture)
{
	calltree_free(fixture->tree);
	recording_free(fixture->recording);
	synthetic_free(fixture->made);
}

static double work_in(const struct fixture *fixture, const double *work_ns, uint32_t region)
{
	double sum_ns = 0;

	for (uint32_t i = 0; i < fixture->tree->node_count; i++)
		if (fixture->tree->nodes[i].parent != CALLTREE_NONE &&
		    fixture->tree->nodes[i].region == region)
			sum_ns += work_ns[i];
	return sum_ns;
}

static void test_of_nodes(void **state)
{
	struct fixture fixture;
	double *work_ns;

	(void)state;
	set_up(&fixture);
	work_ns = work_of_nodes(fixture.tree);
	assert_non_null(work_ns);
	assert_true(work_in(&fixture, work_ns, fixture.main) == 900 - 100 - 150 - 300);
	assert_true(work_in(&fixture, work_ns, fixture.work) == 80 + 50);
	assert_true(work_in(&fixture, work_ns, fixture.receive) == 0);
	assert_true(work_in(&fixture, work_ns, fixture.wait) == 0);
	assert_true(work_in(&fixture, work_ns, fixture.inner) == 20); /* not below MPI, not idle */
	assert_true(work_thread_is_idle(fixture.tree, 1) && !work_thread_is_idle(fixture.tree, 0));
	free(work_ns);
	tear_down(&fixture);
}

static double share_of(const struct loaded_run *loaded, const char *name, enum parts_time time)
{
	struct region_union *regions;
	struct parts *parts;
	struct parts_spread spread;
	struct problem problem;
	double sum_ns = -1;

	assert_int_equal(region_union_new(loaded->trees, loaded->tree_count, &regions), KYMO_OK);
	assert_int_equal(parts_new(loaded, regions, &parts, &problem), KYMO_OK);
	assert_false(parts->has_whole_times);
	for (uint32_t i = 0; i < regions->count; i++) {
		if (strcmp(regions->regions[i]->name, name) != 0)
			continue;
		assert_int_equal(parts_spread_new(parts, i, PARTS_BY_PROCESS, time, &spread),
				 KYMO_OK);
		sum_ns = spread.sum;
		parts_spread_release(&spread);
	}
	parts_free(parts);
	region_union_free(regions);
	return sum_ns;
}

static void check_shares(const struct calltree *tree, struct recording *recording)
{
	struct run run = {.path = (char *)"run", .recordings = &recording, .recording_count = 1};
	struct loaded_run loaded = {.run = &run, .trees = &tree, .tree_count = 1};

	assert_true(share_of(&loaded, "main", PARTS_TOTAL) == 900);
	assert_true(share_of(&loaded, "main", PARTS_WORK_TOTAL) == 350 + 130 + 20);
	assert_true(share_of(&loaded, "main", PARTS_WORK) == 350);
	assert_true(share_of(&loaded, "work", PARTS_TOTAL) == 250);
	assert_true(share_of(&loaded, "work", PARTS_WORK_TOTAL) == 150);
	assert_true(share_of(&loaded, "MPI_Recv", PARTS_WORK_TOTAL) == 0);
	assert_true(share_of(&loaded, "MPI_Recv", PARTS_TOTAL) == 100);
	assert_true(share_of(&loaded, "pthread_cond_wait", PARTS_WORK_TOTAL) == 0);
	assert_true(share_of(&loaded, "inner", PARTS_TOTAL) == 20 + 70 + 1000);
	assert_true(share_of(&loaded, "inner", PARTS_WORK_TOTAL) == 20);
	assert_true(share_of(&loaded, "[outside any recorded region]", PARTS_SELF) == 100);
	assert_true(share_of(&loaded, "[outside any recorded region]", PARTS_WORK_TOTAL) == 0);
}

static struct recording *merged_from(struct recording *recording)
{
	static const uint8_t run_id[16] = {1};
	char directory[] = "/tmp/kymo-work-XXXXXX", path[64];
	struct merge_state state;
	struct recording *merged;
	struct problem problem;

	assert_non_null(mkdtemp(directory));
	snprintf(path, sizeof(path), "%s/merged.kymo", directory);
	merge_state_init(&state, directory, 1 << 20);
	assert_int_equal(merge_state_add(&state, recording, false, "run", run_id, &problem),
			 KYMO_OK);
	assert_int_equal(merge_state_write(&state, path, false, &problem), KYMO_OK);
	merge_state_release(&state);
	assert_int_equal(recording_open(path, &merged, &problem), KYMO_OK);
	unlink(path);
	rmdir(directory);
	return merged;
}

/* A merged recording says the same, and one that was merged of that. */
static void test_of_shares(void **state)
{
	struct recording *recording, *before;
	struct fixture fixture;

	(void)state;
	set_up(&fixture);
	check_shares(fixture.tree, fixture.recording);
	recording = merged_from(fixture.recording);
	for (int i = 0; i < 2; i++) {
		struct calltree *tree;

		assert_int_equal(calltree_new(recording, &tree, NULL), KYMO_OK);
		check_shares(tree, recording);
		calltree_free(tree);
		before = recording;
		recording = merged_from(before);
		recording_free(before);
	}
	recording_free(recording);
	tear_down(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_of_nodes),
		cmocka_unit_test(test_of_shares),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
