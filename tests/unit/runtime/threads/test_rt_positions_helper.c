/* The helper that samples where threads are, in processes that fork, stop it and cannot have one.
 */
#include "runtime/threads/positions_helper.h"

#include <sys/resource.h>

#include "model/tree/calltree.h"
#include "runtime/store/store.h"
#include "runtime/threads/helper_control.h"
#include "thread_fixture.h"

#define NOBODY 65534

static const char *const sampled[] = {"PYTHON_TIMING=sampled", NULL};

static const unsigned mode = KYMO_MODE_PROFILE | KYMO_MODE_POSITIONS;

/* Until the thread was seen so often more at the node where it is. */
static void be_seen(uint64_t times)
{
	const struct kymo_node *node = kymo_thread()->current;
	uint64_t enough = __atomic_load_n(&node->max, __ATOMIC_RELAXED) + times;

	while (__atomic_load_n(&node->max, __ATOMIC_RELAXED) < enough)
		;
}

static void be_seen_in(const char *name)
{
	region = fixture_region(name);
	kymo_enter(kymo_thread(), region, mode);
	be_seen(20);
	kymo_leave(kymo_thread(), region, KYMO_EVENT_LEAVE, mode);
}

static const struct calltree_node *node_of(const struct calltree *tree, const char *name)
{
	for (uint32_t i = 0; i < tree->node_count; i++)
		if (strcmp(tree->recording->regions[tree->nodes[i].region].name, name) == 0)
			return &tree->nodes[i];
	return NULL;
}

static double thread_ns(const struct recording *recording, uint32_t thread)
{
	const struct thread *record = &recording->threads[thread];

	return (double)(record->end_ticks - record->start_ticks) * recording_tick_ns(recording);
}

/* Its times add up to the thread's, and those of the region are most of it. */
static void check_recording(const char *path, const char *name)
{
	struct recording *recording = fixture_read(path);
	const struct calltree_node *node;
	struct calltree *tree;
	struct problem problem;
	double whole;

	CHECK(recording->header.flags & KYMO_HEADER_POSITIONS);
	CHECK(recording->header.version == KYMO_FORMAT_VERSION_POSITIONS);
	recording->is_raw = true;
	CHECK(calltree_new(recording, &tree, &problem) == KYMO_OK);
	whole = tree->nodes[tree->thread_root[0]].sum_ns;
	CHECK(whole > 0.999999 * thread_ns(recording, 0));
	CHECK(whole < 1.000001 * thread_ns(recording, 0));
	node = node_of(tree, name);
	CHECK(node && node->sum_ns > 0 && node->self_ns <= node->sum_ns && node->closed_count == 0);
	CHECK(tree->positions[0].count >= 20);
	CHECK(tree->estimated_count > 0);
	calltree_free(tree);
	recording_free(recording);
}

static void sees(void)
{
	fixture_open(sampled);
	be_seen_in("seen");
	kymo_runtime_close(0);
	check_recording(kymo_runtime_recording(), "seen");
	CHECK(store.header == NULL || store.header->beside_cpu_ns > 0);
}

static void sees_in_a_forked_child(void)
{
	char recording[4096];
	pid_t child;

	fixture_open(sampled);
	region = fixture_region("before");
	kymo_enter(kymo_thread(), region, mode);
	child = fork();
	if (child == 0) {
		be_seen_in("in the child");
		kymo_runtime_close(0);
		snprintf(recording, sizeof(recording), "%s", kymo_runtime_recording());
		check_recording(recording, "in the child");
		check_recording(recording, "before");
		_exit(0);
	}
	wait_for_child(child);
	be_seen(20);
	kymo_leave(kymo_thread(), fixture_region("before"), KYMO_EVENT_LEAVE, mode);
	kymo_runtime_close(0);
	check_recording(kymo_runtime_recording(), "before");
}

/* A program that wants to be alone for a moment has that time where it was seen. */
static void goes_on_after_it_was_stopped(void)
{
	fixture_open(sampled);
	be_seen_in("first");
	for (int i = 0; i < 20; i++) {
		helpers_stop();
		helpers_begin(false);
		be_seen_in("second");
	}
	kymo_runtime_close(0);
	check_recording(kymo_runtime_recording(), "second");
}

static void times_every_call_where_no_thread_can_be_made(void)
{
	const struct rlimit none = {0, 0};
	struct recording *recording;
	struct calltree *tree;
	struct problem problem;
	bool is_noted = false;

	CHECK(chown(fixture_directory, NOBODY, NOBODY) == 0 || geteuid() != 0);
	CHECK(geteuid() != 0 || setresuid(NOBODY, NOBODY, NOBODY) == 0);
	CHECK(setrlimit(RLIMIT_NPROC, &none) == 0);
	fixture_open(sampled);
	CHECK(kymo_runtime_mode() == KYMO_MODE_PROFILE);
	region = fixture_region("timed");
	visit();
	kymo_runtime_close(0);
	recording = fixture_read(kymo_runtime_recording());
	CHECK(recording->header.version == KYMO_FORMAT_VERSION);
	CHECK(!(recording->header.flags & KYMO_HEADER_POSITIONS));
	for (size_t i = 0; i < recording->note_count; i++)
		is_noted |= recording->notes[i].kind == KYMO_NOTE_WARNING &&
			    strstr(recording->notes[i].value, "timing is full") != NULL;
	CHECK(is_noted);
	CHECK(calltree_new(recording, &tree, &problem) == KYMO_OK);
	CHECK(node_of(tree, "timed")->closed_count == 1);
	CHECK(tree->estimated_count == 0);
}

CASE(sees)
CASE(sees_in_a_forked_child)
CASE(goes_on_after_it_was_stopped)
CASE(times_every_call_where_no_thread_can_be_made)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sees),
		cmocka_unit_test(test_sees_in_a_forked_child),
		cmocka_unit_test(test_goes_on_after_it_was_stopped),
		cmocka_unit_test(test_times_every_call_where_no_thread_can_be_made),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
