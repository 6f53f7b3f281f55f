/* Collapsed stacks of FlameGraph, py-spy and austin. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "imported_fixture.h"

static void test_stacks_become_paths(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	imported_fixture_read(&fixture, "collapsed", "# x\n a ; b  3\r\na;b 2\n\na 4\na;c(x y) 1");
	ASSERT_IMPORTED(&fixture, "a 4 4\na;b 5 5\na;c(x y) 1 1\n");
	assert_true(fixture.imported.threads[1].is_sampled);
	assert_string_equal(imported_note_value(&fixture.imported, "unit"), "samples");
	imported_fixture_release(&fixture);
}

static void test_processes_and_threads_of_py_spy(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	imported_fixture_read(&fixture, "collapsed",
			      "process 12:\"python a.py\";thread (0x7f): main;f (a.py:3) 2\n"
			      "process 12:\"python a.py\";thread (0x80): io;f (a.py:3) 5\n");
	ASSERT_IMPORTED(&fixture, "f 2 2\nf 5 5\n");
	assert_int_equal(fixture.imported.process_count, 1);
	assert_int_equal(fixture.imported.processes[1].pid, 12);
	assert_string_equal(fixture.imported.processes[1].name, "python a.py");
	assert_int_equal(fixture.imported.thread_count, 2);
	assert_int_equal(fixture.imported.threads[1].system_id, 0x7f);
	assert_string_equal(fixture.imported.threads[2].name, "io");
	imported_fixture_release(&fixture);
}

/* Its mode tells the unit: times are microseconds. */
static void test_austin_with_a_header_and_without(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	imported_fixture_read(&fixture, "collapsed",
			      "# austin: 3.7.0\n# mode: wall\nP7;T0:9;/a.py:f:3;/a.py:g:9 20\n");
	ASSERT_IMPORTED(&fixture, "f;g 1 20000\n");
	assert_null(imported_note_value(&fixture.imported, "unit"));
	assert_int_equal(fixture.imported.threads[1].system_id, 9);
	imported_fixture_release(&fixture);
	imported_fixture_read(&fixture, "collapsed", "P7;T1;a.py:f:3 20\nP7;T2;a.py:f:4 1\n");
	ASSERT_IMPORTED(&fixture, "f 20 20\nf 1 1\n");
	assert_int_equal(fixture.imported.thread_count, 2);
	imported_fixture_release(&fixture);
}

/* Without austin's header these are functions. */
static void test_short_frames_are_no_processes(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	imported_fixture_read(&fixture, "collapsed", "P1 3\nP1;main 2\nprocess x:;f 1\n");
	ASSERT_IMPORTED(&fixture, "P1 3 3\nP1;main 2 2\nprocess x:;f 1 1\n");
	imported_fixture_release(&fixture);
}

static void test_weights_that_are_none(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	imported_fixture_read(&fixture, "collapsed", "a -1\na nan\na 0\na 1e300\nb 1.5\n");
	ASSERT_IMPORTED(&fixture, "b 1 1.5\n");
	assert_int_equal(fixture.imported.counts[COUNT_BAD_WEIGHTS], 3);
	assert_int_equal(fixture.imported.counts[COUNT_FRACTIONS], 1);
	imported_fixture_release(&fixture);
	assert_refused("collapsed", "a;b 1\na;b\n", "line 2 does not end with a number");
	assert_refused("collapsed", "17\n", "line 1");
}

static void test_deep_stacks_keep_their_weight(void **state)
{
	static char text[2 * (IMPORT_DEPTH_MAX + 10) + 8];
	struct imported_fixture fixture;
	size_t used = 0;
	double sum = 0;

	(void)state;
	for (unsigned int i = 0; i < IMPORT_DEPTH_MAX + 5; i++)
		used += (size_t)sprintf(text + used, i ? ";f" : "f");
	strcpy(text + used, " 7");
	imported_fixture_read(&fixture, "collapsed", text);
	assert_int_equal(fixture.status, KYMO_OK);
	assert_int_equal(fixture.imported.counts[COUNT_DEEP_FRAMES], 5);
	for (uint32_t i = 0; i < fixture.imported.node_count; i++)
		sum += fixture.imported.nodes[i].self_ns;
	assert_true(sum == 7);
	imported_fixture_release(&fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_stacks_become_paths),
		cmocka_unit_test(test_processes_and_threads_of_py_spy),
		cmocka_unit_test(test_austin_with_a_header_and_without),
		cmocka_unit_test(test_short_frames_are_no_processes),
		cmocka_unit_test(test_weights_that_are_none),
		cmocka_unit_test(test_deep_stacks_keep_their_weight),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
