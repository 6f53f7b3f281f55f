/* The call graph, and how it is drawn: shares, calls, thresholds and names of all kinds.
 * That graphviz draws it is held by the end-to-end tests. */
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

#define TIMES "\xc3\x97"

/* run (100 ns, 40 of its own) calls fib (60), which calls itself (30), and tiny (0.2). */
static struct synthetic *example(void)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);
	uint32_t thread = synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	uint32_t run = exported_python(made, "run", "/u/a.py", 3),
		 fib = exported_python(made, "fib", "/u/a.py", 9);
	uint32_t tiny = synthetic_region(made, KYMO_REGION_USER, "tiny");

	synthetic_enter(made, thread, run, 0);
	synthetic_enter(made, thread, fib, 10000);
	synthetic_enter(made, thread, fib, 20000);
	synthetic_leave(made, thread, fib, 50000);
	synthetic_leave(made, thread, fib, 70000);
	synthetic_enter(made, thread, tiny, 80000);
	synthetic_leave(made, thread, tiny, 80200);
	synthetic_leave(made, thread, run, 100000);
	synthetic_close(made, 200000);
	return made;
}

static void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("no '%s' in:\n%s", part, text);
}

static void assert_has_not(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("'%s' is in:\n%s", part, text);
}

static void test_shares_calls_and_colours(void **state)
{
	const struct export_options all = {.thread = KYMO_NO_THREAD};
	struct synthetic *made = example();
	char *text = exported_text("dot", made, &all);

	(void)state;
	assert_has(text, "\t0 [color=\"#ff0000\", fontcolor=white, "
			 "label=\"a:3:run\\n100.00%\\n(39.80%)\\n1" TIMES "\", "
			 "tooltip=\"/u/a.py\"];\n");
	assert_has(text, "label=\"a:9:fib\\n60.00%\\n(60.00%)\\n2" TIMES "\"");
	assert_has(text, "label=\"tiny\\n0.20%\\n(0.20%)\\n1" TIMES "\", tooltip=\"tiny\"");
	assert_has(text, "\t0 -> 1 [");
	assert_has(text, "label=\"60.00%\\n1" TIMES "\", labeldistance=\"2.40\", "
			 "penwidth=\"2.40\"");
	assert_has(text, "label=\"30.00%\\n1" TIMES "\", labeldistance=\"1.20\"");
	free(text);
	synthetic_free(made);
}

static void test_thresholds_leave_out_what_is_small(void **state)
{
	const struct export_options nodes = {.thread = KYMO_NO_THREAD, .node_threshold = 70};
	const struct export_options edges = {.thread = KYMO_NO_THREAD, .edge_threshold = 40};
	struct synthetic *made = example();
	char *text = exported_text("dot", made, NULL);

	(void)state;
	assert_has(text, "fib");
	assert_has_not(text, "tiny"); /* 0.2 % is less than 0.5 % */
	assert_has_not(text, "0 -> 2");
	free(text);
	text = exported_text("dot", made, &nodes);
	assert_has(text, "run");
	assert_has_not(text, "fib");
	assert_has_not(text, "->");
	free(text);
	text = exported_text("dot", made, &edges);
	assert_has(text, "0 -> 1");
	assert_has(text, "tiny");
	assert_has_not(text, "1 -> 1");
	assert_has_not(text, "0 -> 2");
	free(text);
	synthetic_free(made);
}

static void test_time_of_others_belongs_to_their_caller(void **state)
{
	const struct export_options only = {.thread = KYMO_NO_THREAD, .filter = "run|tiny"};
	struct synthetic *made = example();
	char *text = exported_text("dot", made, &only);

	(void)state;
	assert_has(text, "run\\n100.00%\\n(99.80%)\\n1" TIMES);
	assert_has(text, "0 -> 1 [");
	assert_has_not(text, "fib");
	free(text);
	synthetic_free(made);
}

static void test_recordings_add_up(void **state)
{
	struct synthetic *made[2] = {example(), example()};
	struct exported exported = exported_new("dot", made, 2, NULL);

	(void)state;
	assert_int_equal(exported.status, KYMO_OK);
	assert_has(exported.data, "fib\\n60.00%\\n(60.00%)\\n4" TIMES);
	assert_has_not(exported.data, "\t3 [");
	exported_free(&exported);
	synthetic_free(made[0]);
	synthetic_free(made[1]);
}

static void test_names_of_all_kinds(void **state)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE);
	uint32_t thread = synthetic_thread(made, KYMO_NO_THREAD, NULL, 0), regions[3];
	char name[10001];
	char *text;

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	regions[0] = synthetic_region(made, KYMO_REGION_USER, "a\"b\\n\nc\xff" TIMES);
	regions[1] = synthetic_region(made, KYMO_REGION_USER, name);
	regions[2] = synthetic_region(made, KYMO_REGION_NATIVE, "work");
	synthetic_region_at(made, regions[2])->module = synthetic_string(made, "/lib/libx.so.6");
	for (uint32_t i = 0; i < 3; i++) {
		synthetic_enter(made, thread, regions[i], 100 * i);
		synthetic_leave(made, thread, regions[i], 100 * i + 50);
	}
	synthetic_close(made, 1000);
	text = exported_text("dot", made, NULL);
	assert_has(text, "label=\"a\\\"b\\\\n c\xef\xbf\xbd" TIMES "\\n33.33%");
	assert_has(text, "xxx\xe2\x80\xa6\\n33.33%");
	assert_has(text, "label=\"libx.so.6\\nwork\\n33.33%");
	assert_true(strlen(text) < 8000);
	free(text);
	synthetic_free(made);
}

static void test_a_sample_counts_once_however_deep(void **state)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_SAMPLES);
	uint64_t code = synthetic_code(made, "fib", "/u/a.py", 3);
	uint64_t frame = kymo_frame(KYMO_FRAME_PYTHON, code << 32 | KYMO_FRAME_NO_OFFSET);
	uint32_t thread = synthetic_thread(made, KYMO_NO_THREAD, NULL, 0), stack = 0;
	char *text;

	(void)state;
	for (int depth = 0; depth < 5; depth++)
		stack = synthetic_stack(made, thread, stack, frame);
	synthetic_sample(made, thread, KYMO_SAMPLE_BEGIN, KYMO_GIL_UNKNOWN, 1024, 0, SYNTHETIC_NONE,
			 SYNTHETIC_NONE);
	for (uint64_t i = 2; i < 5; i++)
		synthetic_sample(made, thread, KYMO_SAMPLE_REALTIME, KYMO_GIL_UNKNOWN, i * 1024,
				 stack, SYNTHETIC_NONE, SYNTHETIC_NONE);
	synthetic_close(made, 10000);
	text = exported_text("dot", made, NULL);
	assert_has(text, "fib\\n100.00%\\n(100.00%)\\n3" TIMES "\"");
	assert_has(text, "label=\"100.00%\\n3" TIMES "\"");
	free(text);
	synthetic_free(made);
}

static void test_without_time_all_is_shown(void **state)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE);
	uint32_t thread = synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	uint32_t run = synthetic_region(made, KYMO_REGION_USER, "run");
	char *text;

	(void)state;
	synthetic_enter(made, thread, run, 5);
	synthetic_leave(made, thread, run, 5);
	synthetic_close(made, 10);
	text = exported_text("dot", made, NULL);
	assert_has(text, "label=\"run\\n0.00%\\n(0.00%)\\n1" TIMES);
	free(text);
	synthetic_free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shares_calls_and_colours),
		cmocka_unit_test(test_thresholds_leave_out_what_is_small),
		cmocka_unit_test(test_time_of_others_belongs_to_their_caller),
		cmocka_unit_test(test_recordings_add_up),
		cmocka_unit_test(test_names_of_all_kinds),
		cmocka_unit_test(test_a_sample_counts_once_however_deep),
		cmocka_unit_test(test_without_time_all_is_shown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
