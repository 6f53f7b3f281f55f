/* What threads did with their time: by the kinds of regions, imports, and the processor. */
#include "model/findings/activity.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "model/recording/recording_open.h"
#include "synthetic.h"

static enum activity of(enum kymo_region_kind kind, const char *module, const char *name,
			uint32_t flags)
{
	const struct region region = {.kind = kind, .module = module, .name = name, .flags = flags};

	return activity_of(&region);
}

static void test_kinds(void **state)
{
	(void)state;
	assert_int_equal(of(KYMO_REGION_PYTHON, NULL, "f", 0), ACTIVITY_PYTHON);
	assert_int_equal(of(KYMO_REGION_NATIVE, NULL, "f", 0), ACTIVITY_NATIVE);
	assert_int_equal(of(KYMO_REGION_NATIVE, NULL, "MPI_Send", 0), ACTIVITY_MPI);
	assert_int_equal(of(KYMO_REGION_NATIVE, NULL, "futex (kernel)", 0), ACTIVITY_LOCK);
	assert_int_equal(of(KYMO_REGION_NATIVE, NULL, "clock_nanosleep (kernel)", 0),
			 ACTIVITY_SLEEP);
	assert_int_equal(of(KYMO_REGION_NATIVE, NULL, "getpid (kernel)", 0), ACTIVITY_SYSTEM);
	assert_int_equal(of(KYMO_REGION_NATIVE, NULL, " (kernel)", 0), ACTIVITY_NATIVE);
	assert_int_equal(of(KYMO_REGION_NATIVE, NULL, "[waits for the GIL]", 0), ACTIVITY_GIL);
	assert_int_equal(of(KYMO_REGION_MPI, NULL, "MPI_Send", 0), ACTIVITY_MPI);
	assert_int_equal(of(KYMO_REGION_IO, NULL, "read", 0), ACTIVITY_IO);
	assert_int_equal(of(KYMO_REGION_USER, NULL, "step", 0), ACTIVITY_USER);
	assert_int_equal(of(KYMO_REGION_ROOT, NULL, "thread", 0), ACTIVITY_OUTSIDE);
	assert_int_equal(of(KYMO_REGION_PROGRAM, NULL, "a.out", 0), ACTIVITY_PROGRAM);
	assert_int_equal(of(KYMO_REGION_PTHREAD, NULL, "work", 0), ACTIVITY_PROGRAM);
	assert_int_equal(of(KYMO_REGION_PTHREAD, NULL, "pthread_join", KYMO_REGION_OBJECT),
			 ACTIVITY_LOCK);
	assert_int_equal(of(KYMO_REGION_PTHREAD, NULL, "waiting for the GIL", 0), ACTIVITY_GIL);
}

static void test_builtins(void **state)
{
	(void)state;
	assert_int_equal(of(KYMO_REGION_PYTHON_C, "builtins", "len", 0), ACTIVITY_NATIVE);
	assert_int_equal(of(KYMO_REGION_PYTHON_C, "time", "sleep", 0), ACTIVITY_SLEEP);
	assert_int_equal(of(KYMO_REGION_PYTHON_C, "mine", "sleep", 0), ACTIVITY_NATIVE);
	assert_int_equal(of(KYMO_REGION_PYTHON_METHOD, "_thread.lock", "acquire", 0),
			 ACTIVITY_LOCK);
	assert_int_equal(of(KYMO_REGION_PYTHON_METHOD, "_io.TextIOWrapper", "write", 0),
			 ACTIVITY_IO);
	assert_int_equal(of(KYMO_REGION_PYTHON_METHOD, "_socket.socket", "recv", 0),
			 ACTIVITY_NETWORK);
	assert_int_equal(of(KYMO_REGION_PYTHON_C, "posix", "waitpid", 0), ACTIVITY_CHILD);
	assert_int_equal(of(KYMO_REGION_PYTHON_METHOD, "mpi4py.MPI.Comm", "Send", 0), ACTIVITY_MPI);
	assert_int_equal(of(KYMO_REGION_PYTHON_C, NULL, "f", 0), ACTIVITY_NATIVE);
}

static void test_words(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < ACTIVITIES; i++) {
		assert_non_null(activity_word((enum activity)i));
		assert_non_null(activity_title((enum activity)i));
		for (unsigned int k = 0; k < i; k++)
			assert_string_not_equal(activity_word((enum activity)i),
						activity_word((enum activity)k));
	}
	assert_true(activity_is_wait(ACTIVITY_SLEEP));
	assert_false(activity_is_wait(ACTIVITY_PYTHON));
}

/* A thread of 1000 ns: 600 in run(), of which 250 importing and 50 sleeping. */
static struct synthetic *make_importing(const char *name, uint64_t cpu_ns)
{
	struct synthetic *s = synthetic_new(KYMO_HEADER_PROFILE);
	uint32_t run = synthetic_region(s, KYMO_REGION_PYTHON, "run");
	uint32_t import = synthetic_region(s, KYMO_REGION_PYTHON, name);
	uint32_t body = synthetic_region(s, KYMO_REGION_PYTHON, "<module>");
	uint32_t sleep = synthetic_region(s, KYMO_REGION_PYTHON_C, "sleep");
	uint32_t thread;

	synthetic_region_at(s, sleep)->module = synthetic_string(s, "time");
	thread = synthetic_thread(s, KYMO_NO_THREAD, "MainThread", 0);
	synthetic_enter(s, thread, run, 100);
	synthetic_enter(s, thread, import, 200);
	synthetic_enter(s, thread, body, 250);
	synthetic_leave(s, thread, body, 400);
	synthetic_leave(s, thread, import, 450);
	synthetic_enter(s, thread, sleep, 500);
	synthetic_leave(s, thread, sleep, 550);
	synthetic_leave(s, thread, run, 700);
	synthetic_thread_at(s, thread)->cpu_ns = cpu_ns;
	synthetic_close(s, 1000);
	return s;
}

static struct synthetic *make_run(uint64_t cpu_ns)
{
	return make_importing("import numpy", cpu_ns);
}

static struct activity_thread thread_of(struct synthetic *s)
{
	struct recording *recording = synthetic_open(s);
	struct calltree *tree;
	const struct calltree *trees[1];
	struct loaded_run loaded = {.trees = trees, .tree_count = 1};
	struct activities *all;
	struct activity_thread thread;

	assert_int_equal(calltree_new(recording, &tree, NULL), KYMO_OK);
	trees[0] = tree;
	assert_int_equal(activities_new(&loaded, &all), KYMO_OK);
	assert_int_equal(all->count, 1);
	thread = all->threads[0];
	activities_free(all);
	calltree_free(tree);
	recording_free(recording);
	synthetic_free(s);
	return thread;
}

static void assert_ns(const struct activity_thread *thread, enum activity activity, double ns)
{
	assert_true(thread->ns[activity] > ns - 0.001 && thread->ns[activity] < ns + 0.001);
}

static void test_calls(void **state)
{
	struct activity_thread thread = thread_of(make_run(0));

	(void)state;
	assert_ns(&thread, ACTIVITY_PYTHON, 300);
	assert_ns(&thread, ACTIVITY_IMPORT, 250);
	assert_ns(&thread, ACTIVITY_SLEEP, 50);
	assert_ns(&thread, ACTIVITY_OUTSIDE, 400);
	assert_ns(&thread, ACTIVITY_OFF, 0);
	assert_true(thread.total_ns > 999.99 && thread.total_ns < 1000.01);
	assert_false(thread.is_sampled);
}

/* What the processor did not do was no work, in proportion; nothing is lost. */
static void test_off_the_processor(void **state)
{
	struct activity_thread thread = thread_of(make_run(190));

	(void)state;
	assert_ns(&thread, ACTIVITY_PYTHON, 300 * 0.2);
	assert_ns(&thread, ACTIVITY_IMPORT, 250 * 0.2);
	assert_ns(&thread, ACTIVITY_OUTSIDE, 400 * 0.2);
	assert_ns(&thread, ACTIVITY_SLEEP, 50);
	assert_ns(&thread, ACTIVITY_OFF, 760);
	/* Clocks differ by a little. */
	thread = thread_of(make_run(945));
	assert_ns(&thread, ACTIVITY_OFF, 0);
	assert_ns(&thread, ACTIVITY_PYTHON, 300);
}

/* What was taken out of the times of calls is there all the same, and is work. */
static void test_measuring(void **state)
{
	struct synthetic *s = make_run(0);
	struct activity_thread thread;

	(void)state;
	synthetic_header(s)->cost_enter_exit_ps = 30000;
	synthetic_header(s)->cost_enter_exit_inside_ps = 10000;
	thread = thread_of(s);
	assert_ns(&thread, ACTIVITY_MEASURING, 90);
	assert_ns(&thread, ACTIVITY_OUTSIDE, 380);
	assert_true(thread.total_ns > 999.99 && thread.total_ns < 1000.01);
	s = make_run(176);
	synthetic_header(s)->cost_enter_exit_ps = 30000;
	synthetic_header(s)->cost_enter_exit_inside_ps = 10000;
	thread = thread_of(s);
	assert_ns(&thread, ACTIVITY_MEASURING, 90);
	assert_ns(&thread, ACTIVITY_OUTSIDE, 380 * 0.1);
	assert_ns(&thread, ACTIVITY_OFF, 774);
	assert_true(thread.total_ns > 999.99 && thread.total_ns < 1000.01);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kinds),
		cmocka_unit_test(test_builtins),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_off_the_processor),
		cmocka_unit_test(test_measuring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
