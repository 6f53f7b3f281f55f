/* Profiles of callgrind, yappi and Xdebug. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "imported_fixture.h"

static void test_costs_and_calls(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	imported_fixture_read(&fixture, "callgrind",
			      "# callgrind format\nevents: Time_(10ns) Misses\n\n"
			      "fl=(1) a.c\nfn=(1) main\n16 400 3\n"
			      "cfn=(2) leaf\ncalls=2 50\n16 50\n\n"
			      "fn=(2)\n51 20 1\n+1 30\n* 1\n");
	ASSERT_IMPORTED(&fixture, "main 1 4000\nmain;leaf 2 510\n");
	assert_int_equal(fixture.imported.regions[1].line, 16);
	assert_int_equal(fixture.imported.regions[2].line, 50);
	assert_string_equal(fixture.imported.metrics[0].name, "Misses");
	assert_null(imported_note_value(&fixture.imported, "unit"));
	assert_null(imported_note_value(&fixture.imported, "cut file"));
	imported_fixture_release(&fixture);
}

/* "f'2" is f again; parts of one thread are one graph, threads are graphs of their own. */
static void test_recursion_parts_and_threads(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	imported_fixture_read(&fixture, "callgrind",
			      "events: Ir\npid: 9\nthread: 1\nfn=f\n1 10\nfn=f'2\n1 5\n"
			      "part: 2\nfn=f\n1 2\nthread: 2\nfn=f\n1 7\n");
	ASSERT_IMPORTED(&fixture, "f 1 17\nf 1 7\n");
	assert_int_equal(fixture.imported.thread_count, 2);
	assert_int_equal(fixture.imported.processes[1].pid, 9);
	assert_string_equal(imported_note_value(&fixture.imported, "unit"), "Ir");
	imported_fixture_release(&fixture);
}

/* Lines of an included file are not the function's own, and jumps have no costs. */
static void test_included_files_and_jumps(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	imported_fixture_read(&fixture, "callgrind",
			      "positions: instr line\nevents: Ir\nfl=a.c\nfn=f\n0x10 30 1\n"
			      "jcnd=1/2 0x20 31\n0x11 +1\n0x12 +1 4\nfi=b.h\n0x13 2 8\n");
	ASSERT_IMPORTED(&fixture, "f 1 13\n");
	assert_int_equal(fixture.imported.regions[1].line, 30);
	assert_memory_equal(fixture.imported.regions[1].file.at, "a.c", 4);
	imported_fixture_release(&fixture);
}

static void test_units_of_yappi(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	imported_fixture_read(&fixture, "callgrind",
			      "version: 1\ncreator: yappi\nevents: Ticks\nfn=f\n1 3\n");
	ASSERT_IMPORTED(&fixture, "f 1 3000\n");
	imported_fixture_release(&fixture);
}

static void test_a_file_that_was_cut_says_so(void **state)
{
	struct imported_fixture fixture;

	(void)state;
	imported_fixture_read(&fixture, "callgrind", "events: Ir\nfn=f\n1 3");
	ASSERT_IMPORTED(&fixture, "f 1 3\n");
	assert_non_null(imported_note_value(&fixture.imported, "cut file"));
	imported_fixture_release(&fixture);
}

static void test_what_callgrind_does_not_write(void **state)
{
	(void)state;
	assert_refused("callgrind", "events: Ir\n", "it has no functions");
	assert_refused("callgrind", "events: Ir\n1 2\n", "costs without a function in line 2");
	assert_refused("callgrind", "fn=f\n1 2\n", "costs before any \"events:\"");
	assert_refused("callgrind", "events: Ir\nfn=(3)\n", "a number but no name");
	assert_refused("callgrind", "events: Ir\nfl=(3)\n", "a file has a number but no name");
	assert_refused("callgrind", "events: Ir\nfn=f\ncalls=1 2\n", "without a caller");
	assert_refused("callgrind", "events: Ir\nfn=f\ncalls=x\n", "no number of calls");
	assert_refused("callgrind", "events: Ir\nfn=f\n1 2x\n", "no line of costs in line 3");
	assert_refused("callgrind", "events: Ir\nfn=f\nwhat=3\n", "does not write");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_costs_and_calls),
		cmocka_unit_test(test_recursion_parts_and_threads),
		cmocka_unit_test(test_included_files_and_jumps),
		cmocka_unit_test(test_units_of_yappi),
		cmocka_unit_test(test_a_file_that_was_cut_says_so),
		cmocka_unit_test(test_what_callgrind_does_not_write),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
