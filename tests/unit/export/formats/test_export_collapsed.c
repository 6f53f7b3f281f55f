/* Collapsed stacks. */
#include "export/tree_paths.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exported.h"

#define US 1000u

static struct synthetic *example(uint32_t *thread_out)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE | KYMO_HEADER_ROOT);

	*thread_out = synthetic_thread(made, KYMO_NO_THREAD, "Main;Thread", 0);
	return made;
}

static void assert_collapsed(struct synthetic *made, const struct export_options *options,
			     const char *expected)
{
	char *text = exported_text("collapsed", made, options);

	assert_string_equal(text, expected);
	free(text);
}

static void test_paths_and_their_own_time(void **state)
{
	uint32_t thread;
	struct synthetic *made = example(&thread);
	uint32_t run = exported_python(made, "run", "/home/u/a.py", 3);
	uint32_t fib = exported_python(made, "fib", "b.py", 0);
	uint32_t step = synthetic_region(made, KYMO_REGION_USER, "a;b\nc");

	(void)state;
	synthetic_region_at(made, fib)->flags = KYMO_REGION_LABEL_FILE;
	synthetic_enter(made, thread, run, 0);
	synthetic_enter(made, thread, fib, 10 * US);
	synthetic_enter(made, thread, step, 15 * US);
	synthetic_leave(made, thread, step, 22 * US);
	synthetic_leave(made, thread, fib, 30 * US);
	synthetic_leave(made, thread, run, 100 * US);
	synthetic_close(made, 200 * US);
	assert_collapsed(made, NULL,
			 "run (a.py:3) 80\n"
			 "run (a.py:3);[fib][b.py] 13\n"
			 "run (a.py:3);[fib][b.py];a:b c 7\n");
	synthetic_free(made);
}

static void test_threads_are_frames_where_there_are_several(void **state)
{
	const struct export_options second = {.thread = 1};
	uint32_t main_thread, worker;
	struct synthetic *made = example(&main_thread);
	uint32_t run = synthetic_region(made, KYMO_REGION_PYTHON, "run");

	(void)state;
	worker = synthetic_thread(made, main_thread, NULL, 0);
	synthetic_enter(made, main_thread, run, 0);
	synthetic_leave(made, main_thread, run, 4 * US);
	synthetic_enter(made, worker, run, 0);
	synthetic_leave(made, worker, run, 9 * US);
	synthetic_close(made, 10 * US);
	assert_collapsed(made, NULL, "Main:Thread;run 4\nthread 1;run 9\n");
	assert_collapsed(made, &second, "thread 1;run 9\n");
	synthetic_free(made);
}

static void test_processes_are_frames_where_there_are_several(void **state)
{
	struct synthetic *made[2];
	struct exported exported;
	uint32_t thread;

	(void)state;
	for (uint32_t i = 0; i < 2; i++) {
		uint32_t run;

		made[i] = example(&thread);
		run = synthetic_region(made[i], KYMO_REGION_PYTHON, "run");
		synthetic_header(made[i])->pid = 10 + i;
		synthetic_note(made[i], KYMO_NOTE_INFO, "script", "/u/a.py");
		synthetic_enter(made[i], thread, run, 0);
		synthetic_leave(made[i], thread, run, 2 * US);
		synthetic_close(made[i], 3 * US);
	}
	exported = exported_new("collapsed", made, 2, NULL);
	assert_string_equal(exported.data, "a.py [10];run 2\na.py [11];run 2\n");
	exported_free(&exported);
	synthetic_free(made[0]);
	synthetic_free(made[1]);
}

static void test_time_of_filtered_regions_is_their_callers(void **state)
{
	const struct export_options options = {.thread = KYMO_NO_THREAD, .filter = "^(run|leaf)$"};
	uint32_t thread;
	struct synthetic *made = example(&thread);
	uint32_t run = synthetic_region(made, KYMO_REGION_PYTHON, "run");
	uint32_t hidden = synthetic_region(made, KYMO_REGION_PYTHON, "hidden");
	uint32_t leaf = synthetic_region(made, KYMO_REGION_PYTHON, "leaf");

	(void)state;
	synthetic_enter(made, thread, run, 0);
	synthetic_enter(made, thread, hidden, 10 * US);
	synthetic_enter(made, thread, leaf, 20 * US);
	synthetic_leave(made, thread, leaf, 25 * US);
	synthetic_leave(made, thread, hidden, 40 * US);
	synthetic_leave(made, thread, run, 50 * US);
	/* Above it there is nobody to take its time. */
	synthetic_enter(made, thread, hidden, 60 * US);
	synthetic_leave(made, thread, hidden, 70 * US);
	synthetic_close(made, 80 * US);
	assert_collapsed(made, &options, "run 45\nrun;leaf 5\n");
	synthetic_free(made);
}

/* Frames beyond the limit give their time to the last one shown. */
static void test_very_deep_paths_are_cut(void **state)
{
	const uint32_t depth = TREE_PATH_MAX + 500;
	uint32_t thread;
	struct synthetic *made = example(&thread);
	uint32_t f = synthetic_region(made, KYMO_REGION_PYTHON, "f");
	char *text;
	size_t lines = 0;

	(void)state;
	for (uint32_t i = 0; i < depth; i++)
		synthetic_enter(made, thread, f, i * 2 * US);
	for (uint32_t i = 0; i < depth; i++)
		synthetic_leave(made, thread, f, (depth + i) * 2 * US);
	synthetic_close(made, 5 * depth * US);
	text = exported_text("collapsed", made, NULL);
	for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
		lines++;
	assert_int_equal(lines, TREE_PATH_MAX);
	/* Frame 1000 is entered at 2 * 999 us, and left at 2 * (1500 + 500) us. */
	assert_string_equal(strrchr(text, ' '), " 2002\n");
	free(text);
	synthetic_free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paths_and_their_own_time),
		cmocka_unit_test(test_threads_are_frames_where_there_are_several),
		cmocka_unit_test(test_processes_are_frames_where_there_are_several),
		cmocka_unit_test(test_time_of_filtered_regions_is_their_callers),
		cmocka_unit_test(test_very_deep_paths_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
