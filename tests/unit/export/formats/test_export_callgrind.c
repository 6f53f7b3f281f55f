/* The lines of a callgrind file.  That tools read them is held by the end-to-end tests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exported.h"
#include "format/format.h"

static void assert_callgrind(struct synthetic *made, const struct export_options *options,
			     const char *expected)
{
	char *text = exported_text("callgrind", made, options);
	const char *body = strstr(text, "positions: line\n");

	assert_non_null(body);
	assert_string_equal(body + strlen("positions: line\n"), expected);
	free(text);
}

/* run calls even, which calls odd, which calls even; a second thread calls odd. */
static struct synthetic *recursion(void)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	uint32_t first = synthetic_thread(made, KYMO_NO_THREAD, "main", 0), second;
	uint32_t run = exported_python(made, "run", "/u/a.py", 3);
	uint32_t even = exported_python(made, "even", "/u/b.py", 5),
		 odd = exported_python(made, "odd", "/u/b.py", 9);

	synthetic_header(made)->pid = 77;
	second = synthetic_thread(made, first, NULL, 0);
	synthetic_enter(made, first, run, 0);
	synthetic_enter(made, first, even, 10);
	synthetic_enter(made, first, odd, 30);
	synthetic_enter(made, first, even, 60);
	synthetic_leave(made, first, even, 65);
	synthetic_leave(made, first, odd, 70);
	synthetic_leave(made, first, even, 80);
	synthetic_leave(made, first, run, 100);
	synthetic_enter(made, second, odd, 0);
	synthetic_leave(made, second, odd, 7);
	synthetic_close(made, 200);
	return made;
}

static const char second_part[] = "events: Time_(ns) Calls\n"
				  "\n"
				  "fl=(3) /u/b.py\nfn=(4) odd\n9 7 1\n"
				  "\n"
				  "fl=(1) ???\nfn=(5) thread 1\n0 0 0\n"
				  "cfl=(3)\ncfn=(4)\ncalls=1 9\n0 7 1\n";

static void test_recursion_costs_nothing_again(void **state)
{
	struct synthetic *made = recursion();
	char expected[1024];

	(void)state;
	snprintf(expected, sizeof(expected), "%s%s%s",
		 "thread: 1\npid: 77\nevents: Time_(ns) Calls\n"
		 "\n"
		 "fl=(1) ???\nfn=(1) main\n0 0 0\n"
		 "cfl=(2) /u/a.py\ncfn=(2) run\ncalls=1 3\n0 100 4\n"
		 "\n"
		 "fl=(2)\nfn=(2)\n3 30 1\n"
		 "cfl=(3) /u/b.py\ncfn=(3) even\ncalls=1 5\n3 70 3\n"
		 "\n"
		 "fl=(3)\nfn=(3)\n5 35 2\n"
		 "cfn=(4) odd\ncalls=1 9\n5 40 2\n"
		 "\n"
		 "fl=(3)\nfn=(4)\n9 35 1\n"
		 "cfn=(3)\ncalls=1 5\n9 0 0\n"
		 "\n"
		 "thread: 2\n",
		 second_part, "\ntotals: 107 5\n");
	assert_callgrind(made, NULL, expected);
	synthetic_free(made);
}

static void test_one_thread_is_one_part(void **state)
{
	const struct export_options second = {.thread = 1};
	struct synthetic *made = recursion();

	(void)state;
	assert_callgrind(made, &second,
			 "thread: 2\npid: 77\nevents: Time_(ns) Calls\n"
			 "\n"
			 "fl=(1) ???\nfn=(1) thread 1\n0 0 0\n"
			 "cfl=(2) /u/b.py\ncfn=(2) odd\ncalls=1 9\n0 7 1\n"
			 "\n"
			 "fl=(2)\nfn=(2)\n9 7 1\n"
			 "\ntotals: 7 1\n");
	synthetic_free(made);
}

static void test_filtered_calls_belong_to_nobody(void **state)
{
	const struct export_options only = {.thread = 0, .filter = "run|odd"};
	struct synthetic *made = recursion();

	(void)state;
	assert_callgrind(made, &only,
			 "thread: 1\npid: 77\nevents: Time_(ns) Calls\n"
			 "\n"
			 "fl=(1) ???\nfn=(1) main\n0 0 0\n"
			 "cfl=(2) /u/a.py\ncfn=(2) run\ncalls=1 3\n0 100 2\n"
			 "\n"
			 "fl=(2)\nfn=(2)\n3 60 1\n"
			 "cfl=(3) /u/b.py\ncfn=(3) odd\ncalls=1 9\n3 40 1\n"
			 "\n"
			 "fl=(3)\nfn=(3)\n9 40 1\n"
			 "\ntotals: 100 2\n");
	synthetic_free(made);
}

static void test_names_stay_on_their_line(void **state)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE);
	uint32_t thread = synthetic_thread(made, KYMO_NO_THREAD, "m", 0), regions[5];

	(void)state;
	synthetic_header(made)->pid = 77;
	regions[0] = exported_python(made, "init", "a\nb.py", 3);
	regions[1] = exported_python(made, "init", "a\nb.py", 8);
	synthetic_region_at(made, regions[1])->qualname = synthetic_string(made, "B.init");
	regions[2] = exported_python(made, "init", "a\nb.py", 9);
	regions[3] = synthetic_region(made, KYMO_REGION_NATIVE, " \xff(2) x\t");
	synthetic_region_at(made, regions[3])->module = synthetic_string(made, "/lib/libx.so");
	regions[4] = synthetic_region(made, KYMO_REGION_USER, " \n");
	for (uint32_t i = 0; i < 5; i++) {
		synthetic_enter(made, thread, regions[i], 10 * i);
		synthetic_leave(made, thread, regions[i], 10 * i + 1);
	}
	synthetic_close(made, 100);
	assert_callgrind(made, NULL,
			 "thread: 1\npid: 77\nevents: Time_(ns) Calls\n"
			 "\n"
			 "fl=(1) ???\nfn=(1) m\n0 0 0\n"
			 "cfl=(2) a b.py\ncfn=(2) init\ncalls=1 3\n0 1 1\n"
			 "cfl=(2)\ncfn=(3) B.init\ncalls=1 8\n0 1 1\n"
			 "cfl=(2)\ncfn=(4) init:9\ncalls=1 9\n0 1 1\n"
			 "cfl=(5) libx.so\ncfn=(5) \xef\xbf\xbd(2) x \ncalls=1 0\n0 1 1\n"
			 "cfn=(6) ?\ncalls=1 0\n0 1 1\n"
			 "\nfl=(2)\nfn=(2)\n3 1 1\n"
			 "\nfl=(2)\nfn=(3)\n8 1 1\n"
			 "\nfl=(2)\nfn=(4)\n9 1 1\n"
			 "\nfl=(5)\nfn=(5)\n0 1 1\n"
			 "\nfl=(1)\nfn=(6)\n0 1 1\n"
			 "\ntotals: 5 5\n");
	synthetic_free(made);
}

static void test_samples_of_events(void **state)
{
	struct synthetic *made = exported_overflows();

	(void)state;
	assert_callgrind(made, NULL,
			 "thread: 1\npid: 77\nevents: Events Samples\n"
			 "\n"
			 "fl=(1) ???\nfn=(1) Main\n0 0 0\n"
			 "cfl=(2) /u/a.py\ncfn=(2) main\ncalls=3 0\n0 15000 3\n"
			 "\n"
			 "fl=(2)\nfn=(2)\n3 5000 1\n"
			 "cfn=(3) work\ncalls=2 0\n3 10000 2\n"
			 "\n"
			 "fl=(2)\nfn=(3)\n10 10000 2\n"
			 "\ntotals: 15000 3\n");
	synthetic_free(made);
}

static void test_an_empty_run_has_a_head(void **state)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE);

	(void)state;
	synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	synthetic_close(made, 10);
	assert_callgrind(made, NULL, "events: Time_(ns) Calls\n\ntotals: 0 0\n");
	synthetic_free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recursion_costs_nothing_again),
		cmocka_unit_test(test_one_thread_is_one_part),
		cmocka_unit_test(test_filtered_calls_belong_to_nobody),
		cmocka_unit_test(test_names_stay_on_their_line),
		cmocka_unit_test(test_samples_of_events),
		cmocka_unit_test(test_an_empty_run_has_a_head),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
