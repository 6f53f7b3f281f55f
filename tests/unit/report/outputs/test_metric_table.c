/* The tables of profiles, character for character. */
#include "metric_table_fixture.h"

static void test_recursion(void **state)
{
	struct program program = program_begin();
	uint32_t run = region(&program, "run"), fib = region(&program, "fib");
	uint32_t inefficient = region(&program, "inefficient"), regions[21];

	(void)state;
	for (int n = 0; n <= 20; n++)
		regions[n] = fib;
	enter(&program, run);
	call_fib(&program, regions, 20);
	enter(&program, inefficient);
	leave(&program, inefficient);
	leave(&program, run);
	synthetic_close(program.recording, program.now);
	assert_table(&program, &trip_count,
		     "|----------------------------------------------------------------------------"
		     "---------------|\n"
		     "|                                COUNTS NUMBER OF INVOCATIONS                "
		     "               |\n"
		     "|----------------------------------------------------------------------------"
		     "---------------|\n"
		     "|                      LABEL                        | COUNT  | DEPTH  |   "
		     "METRIC   |  SUM   |\n"
		     "|---------------------------------------------------|--------|--------|------"
		     "------|--------|\n"
		     "| |0>>> run                                         |      1 |      0 | "
		     "trip_count |      1 |\n"
		     "| |0>>> |_fib                                       |      1 |      1 | "
		     "trip_count |      1 |\n"
		     "| |0>>>   |_fib                                     |      2 |      2 | "
		     "trip_count |      2 |\n"
		     "| |0>>>     |_fib                                   |      4 |      3 | "
		     "trip_count |      4 |\n"
		     "| |0>>>       |_fib                                 |      8 |      4 | "
		     "trip_count |      8 |\n"
		     "| |0>>>         |_fib                               |     16 |      5 | "
		     "trip_count |     16 |\n"
		     "| |0>>>           |_fib                             |     32 |      6 | "
		     "trip_count |     32 |\n"
		     "| |0>>>             |_fib                           |     64 |      7 | "
		     "trip_count |     64 |\n"
		     "| |0>>>               |_fib                         |    128 |      8 | "
		     "trip_count |    128 |\n"
		     "| |0>>>                 |_fib                       |    256 |      9 | "
		     "trip_count |    256 |\n"
		     "| |0>>>                   |_fib                     |    512 |     10 | "
		     "trip_count |    512 |\n"
		     "| |0>>>                     |_fib                   |   1024 |     11 | "
		     "trip_count |   1024 |\n"
		     "| |0>>>                       |_fib                 |   2026 |     12 | "
		     "trip_count |   2026 |\n"
		     "| |0>>>                         |_fib               |   3632 |     13 | "
		     "trip_count |   3632 |\n"
		     "| |0>>>                           |_fib             |   5020 |     14 | "
		     "trip_count |   5020 |\n"
		     "| |0>>>                             |_fib           |   4760 |     15 | "
		     "trip_count |   4760 |\n"
		     "| |0>>>                               |_fib         |   2942 |     16 | "
		     "trip_count |   2942 |\n"
		     "| |0>>>                                 |_fib       |   1152 |     17 | "
		     "trip_count |   1152 |\n"
		     "| |0>>>                                   |_fib     |    274 |     18 | "
		     "trip_count |    274 |\n"
		     "| |0>>>                                     |_fib   |     36 |     19 | "
		     "trip_count |     36 |\n"
		     "| |0>>>                                       |_fib |      2 |     20 | "
		     "trip_count |      2 |\n"
		     "| |0>>> |_inefficient                               |      1 |      1 | "
		     "trip_count |      1 |\n"
		     "|----------------------------------------------------------------------------"
		     "---------------|\n");
}

static void test_one_region(void **state)
{
	struct program program = program_begin();
	uint32_t inefficient = region(&program, "inefficient");

	(void)state;
	enter(&program, inefficient);
	leave(&program, inefficient);
	synthetic_close(program.recording, program.now);
	assert_table(&program, &trip_count,
		     "|-----------------------------------------------------------|\n"
		     "|                COUNTS NUMBER OF INVOCATIONS               |\n"
		     "|-----------------------------------------------------------|\n"
		     "|      LABEL        | COUNT  | DEPTH  |   METRIC   |  SUM   |\n"
		     "|-------------------|--------|--------|------------|--------|\n"
		     "| |0>>> inefficient |      1 |      0 | trip_count |      1 |\n"
		     "|-----------------------------------------------------------|\n");
}

static void test_arguments(void **state)
{
	static const char *const arguments[] = {"(n=0)", "(n=1)", "(n=2)",
						"(n=3)", "(n=4)", "(n=5)"};
	struct program program = program_begin();
	uint32_t run = region(&program, "run"), regions[6];

	(void)state;
	for (int n = 0; n <= 5; n++) {
		uint64_t text = synthetic_string(program.recording, arguments[n]);

		regions[n] = region(&program, "fib");
		synthetic_region_at(program.recording, regions[n])->arguments = text;
		synthetic_region_at(program.recording, run)->arguments = text;
	}
	enter(&program, run);
	call_fib(&program, regions, 5);
	leave(&program, run);
	synthetic_close(program.recording, program.now);
	assert_table(&program, &trip_count,
		     "|------------------------------------------------------------------|\n"
		     "|                   COUNTS NUMBER OF INVOCATIONS                   |\n"
		     "|------------------------------------------------------------------|\n"
		     "|          LABEL           | COUNT  | DEPTH  |   METRIC   |  SUM   |\n"
		     "|--------------------------|--------|--------|------------|--------|\n"
		     "| |0>>> run(n=5)           |      1 |      0 | trip_count |      1 |\n"
		     "| |0>>> |_fib(n=5)         |      1 |      1 | trip_count |      1 |\n"
		     "| |0>>>   |_fib(n=4)       |      1 |      2 | trip_count |      1 |\n"
		     "| |0>>>     |_fib(n=3)     |      1 |      3 | trip_count |      1 |\n"
		     "| |0>>>       |_fib(n=2)   |      1 |      4 | trip_count |      1 |\n"
		     "| |0>>>         |_fib(n=1) |      1 |      5 | trip_count |      1 |\n"
		     "| |0>>>         |_fib(n=0) |      1 |      5 | trip_count |      1 |\n"
		     "| |0>>>       |_fib(n=1)   |      1 |      4 | trip_count |      1 |\n"
		     "| |0>>>     |_fib(n=2)     |      1 |      3 | trip_count |      1 |\n"
		     "| |0>>>       |_fib(n=1)   |      1 |      4 | trip_count |      1 |\n"
		     "| |0>>>       |_fib(n=0)   |      1 |      4 | trip_count |      1 |\n"
		     "| |0>>>   |_fib(n=3)       |      1 |      2 | trip_count |      1 |\n"
		     "| |0>>>     |_fib(n=2)     |      1 |      3 | trip_count |      1 |\n"
		     "| |0>>>       |_fib(n=1)   |      1 |      4 | trip_count |      1 |\n"
		     "| |0>>>       |_fib(n=0)   |      1 |      4 | trip_count |      1 |\n"
		     "| |0>>>     |_fib(n=1)     |      1 |      3 | trip_count |      1 |\n"
		     "|------------------------------------------------------------------|\n");
}

static void test_open_rows_are_marked(void **state)
{
	struct program program = program_begin();
	uint32_t run = region(&program, "run"), step = region(&program, "step");

	(void)state;
	enter(&program, run);
	program.now = 2000000;
	enter(&program, step);
	program.now = 3000000;
	leave(&program, step);
	assert_table(&program, &wall_clock,
		     "|----------------------------------------------------------------------------"
		     "-----------------------------------------------------|\n"
		     "|                                             REAL-CLOCK TIMER (I.E. "
		     "WALL-CLOCK TIMER)                                            |\n"
		     "|----------------------------------------------------------------------------"
		     "-----------------------------------------------------|\n"
		     "|    LABEL     | COUNT  | DEPTH  |   METRIC   | UNITS  |   SUM    |   MEAN   "
		     "|   MIN    |   MAX    |   VAR    | STDDEV   | % SELF |\n"
		     "|--------------|--------|--------|------------|--------|----------|----------"
		     "|----------|----------|----------|----------|--------|\n"
		     "| |0>>> run *  |      1 |      0 | wall_clock | sec    | 0.001000 | 0.001000 "
		     "|        - |        - |        - |        - |    0.0 |\n"
		     "| |0>>> |_step |      1 |      1 | wall_clock | sec    | 0.001000 | 0.001000 "
		     "| 0.001000 | 0.001000 | 0.000000 | 0.000000 |  100.0 |\n"
		     "|----------------------------------------------------------------------------"
		     "-----------------------------------------------------|\n"
		     "* open when the recording ended; time counts up to then\n");
}

static void test_long_labels_are_cut(void **state)
{
	struct program program = program_begin();
	uint32_t run = region(&program, "a_name_that_is_longer_than_its_column_may_be");
	struct shown shown = trip_count;

	(void)state;
	shown.limit = 24;
	enter(&program, run);
	leave(&program, run);
	synthetic_close(program.recording, program.now);
	assert_table(&program, &shown,
		     "|------------------------------------------------------------------|\n"
		     "|                   COUNTS NUMBER OF INVOCATIONS                   |\n"
		     "|------------------------------------------------------------------|\n"
		     "|          LABEL           | COUNT  | DEPTH  |   METRIC   |  SUM   |\n"
		     "|--------------------------|--------|--------|------------|--------|\n"
		     "| |0>>> a_name_that_is_... |      1 |      0 | trip_count |      1 |\n"
		     "|------------------------------------------------------------------|\n");
}

/* Paths deeper than labels are wide keep their names, half of the room at the least. */
static void test_deep_labels_keep_their_names(void **state)
{
	static const char long_name[] = "a_name_that_is_longer_than_half_of_the_room";
	enum { DEPTH = 40 };
	struct program program = program_begin();
	uint32_t regions[DEPTH];
	struct shown shown = trip_count;
	struct recording *opened;
	struct calltree *tree;
	struct rows *rows;
	char *text, *at;

	(void)state;
	for (int i = 0; i < DEPTH; i++) {
		char name[16];

		snprintf(name, sizeof(name), "step_%d", i);
		regions[i] = region(&program, i == DEPTH - 1 ? long_name : name);
		enter(&program, regions[i]);
	}
	for (int i = DEPTH - 1; i >= 0; i--)
		leave(&program, regions[i]);
	synthetic_close(program.recording, program.now);
	opened = synthetic_open(program.recording);
	assert_int_equal(calltree_new(opened, &tree, NULL), KYMO_OK);
	assert_int_equal(rows_new((const struct calltree *const *)&tree, 1, &shown.options, &rows),
			 KYMO_OK);
	shown.limit = 40;
	text = at = write_table(rows, &shown);
	for (int i = 0; i < DEPTH - 1; i++) {
		char name[16];

		snprintf(name, sizeof(name), i ? "|_step_%d " : " step_%d ", i);
		at = strstr(at, name);
		assert_non_null(at);
	}
	assert_non_null(strstr(at, "| |0>>>                     |_a_name_th... |"));
	free(text);
	rows_free(rows);
	calltree_free(tree);
	recording_free(opened);
	synthetic_free(program.recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_one_region),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_open_rows_are_marked),
		cmocka_unit_test(test_long_labels_are_cut),
		cmocka_unit_test(test_deep_labels_keep_their_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
