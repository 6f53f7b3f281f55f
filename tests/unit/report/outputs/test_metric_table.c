/* The tables of profiles, character for character. */
#include "model/profile/metric_view.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/recording/recording_open.h"
#include "report/outputs/metric_table.h"
#include "synthetic.h"

struct program {
	struct synthetic *recording;
	uint32_t thread;
	uint64_t now;
};

static struct program program_begin(void)
{
	struct program program = {.recording = synthetic_new(KYMO_HEADER_PROFILE)};

	program.thread = synthetic_thread(program.recording, KYMO_NO_THREAD, "MainThread", 0);
	return program;
}

static uint32_t region(struct program *program, const char *name)
{
	return synthetic_region(program->recording, KYMO_REGION_PYTHON, name);
}

static void enter(struct program *program, uint32_t entered)
{
	synthetic_enter(program->recording, program->thread, entered, program->now++);
}

static void leave(struct program *program, uint32_t left)
{
	synthetic_leave(program->recording, program->thread, left, program->now++);
}

/* fib(n) as the interpreter calls it; regions by argument, or all the same. */
static void call_fib(struct program *program, const uint32_t *regions, int n)
{
	enter(program, regions[n]);
	if (n >= 2) {
		call_fib(program, regions, n - 1);
		call_fib(program, regions, n - 2);
	}
	leave(program, regions[n]);
}

struct shown {
	const char *metric;
	unsigned int limit;
	struct rows_options options;
	const char *setting, *value; /* NULL = defaults */
};

static char *write_table(const struct rows *rows, const struct shown *shown)
{
	struct settings *settings = settings_new();
	struct metric_view view;
	struct problem problem;
	char *text = NULL;
	size_t size = 0;
	FILE *out = open_memstream(&text, &size);

	assert_non_null(settings);
	assert_non_null(out);
	if (shown->setting)
		assert_int_equal(settings_set(settings, shown->setting, shown->value,
					      SETTING_FROM_COMMAND, &problem),
				 KYMO_OK);
	assert_int_equal(metric_view_init(&view, rows, shown->metric, settings, &problem), KYMO_OK);
	metric_write_table(&view, METRIC_BOXED, shown->limit, out);
	fclose(out);
	settings_free(settings);
	return text;
}

static void assert_tables(struct synthetic *const *recordings, size_t count,
			  const struct shown *shown, const char *expected)
{
	struct recording *opened[4];
	const struct calltree *trees[4];
	struct rows *rows;
	char *text;

	for (size_t i = 0; i < count; i++) {
		struct calltree *tree;

		opened[i] = synthetic_open(recordings[i]);
		assert_int_equal(calltree_new(opened[i], &tree, NULL), KYMO_OK);
		trees[i] = tree;
	}
	assert_int_equal(rows_new(trees, count, &shown->options, &rows), KYMO_OK);
	text = write_table(rows, shown);
	assert_string_equal(text, expected);
	free(text);
	rows_free(rows);
	for (size_t i = 0; i < count; i++) {
		calltree_free((struct calltree *)trees[i]);
		recording_free(opened[i]);
	}
}

static void assert_table(struct program *program, const struct shown *shown, const char *expected)
{
	assert_tables(&program->recording, 1, shown, expected);
	synthetic_free(program->recording);
}

static const struct shown trip_count = {
	.metric = "trip_count",
	.limit = 120,
	.options = {.thread = KYMO_NO_THREAD},
};
static const struct shown wall_clock = {
	.metric = "wall_clock",
	.limit = 120,
	.options = {.thread = KYMO_NO_THREAD},
};

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

static void test_times(void **state)
{
	struct program program = program_begin();
	uint32_t outer = region(&program, "main"), inner = region(&program, "conj_grad");

	(void)state;
	enter(&program, outer);
	program.now = 1000000000;
	for (int visit = 1; visit <= 3; visit++) {
		enter(&program, inner);
		program.now += (uint64_t)visit * 1000000000 - 1;
		leave(&program, inner);
	}
	program.now = 13360265000;
	leave(&program, outer);
	synthetic_close(program.recording, program.now);
	assert_table(&program, &wall_clock,
		     "|----------------------------------------------------------------------------"
		     "--------------------------------------------------------------|\n"
		     "|                                                 REAL-CLOCK TIMER (I.E. "
		     "WALL-CLOCK TIMER)                                                 |\n"
		     "|----------------------------------------------------------------------------"
		     "--------------------------------------------------------------|\n"
		     "|      LABEL        | COUNT  | DEPTH  |   METRIC   | UNITS  |   SUM     |   "
		     "MEAN    |   MIN     |   MAX     |   VAR    | STDDEV   | % SELF |\n"
		     "|-------------------|--------|--------|------------|--------|-----------|----"
		     "-------|-----------|-----------|----------|----------|--------|\n"
		     "| |0>>> main        |      1 |      0 | wall_clock | sec    | 13.360265 | "
		     "13.360265 | 13.360265 | 13.360265 | 0.000000 | 0.000000 |   55.1 |\n"
		     "| |0>>> |_conj_grad |      3 |      1 | wall_clock | sec    |  6.000000 |  "
		     "2.000000 |  1.000000 |  3.000000 | 1.000000 | 1.000000 |  100.0 |\n"
		     "|----------------------------------------------------------------------------"
		     "--------------------------------------------------------------|\n");
}

/* Two workers made in run(), one thread made by nobody known. */
static struct program program_with_threads(void)
{
	struct program program = program_begin();
	struct synthetic *recording = program.recording;
	uint32_t run = region(&program, "run"), worker = region(&program, "worker");
	uint32_t step = region(&program, "step");

	enter(&program, run);
	enter(&program, step);
	leave(&program, step);
	for (int made = 1; made <= 2; made++) {
		uint32_t thread = synthetic_thread(recording, 0, "Thread", program.now);

		synthetic_enter(recording, thread, worker, program.now);
		synthetic_enter(recording, thread, step, program.now + 1);
		synthetic_leave(recording, thread, step, program.now + 3);
		synthetic_leave(recording, thread, worker, program.now + 5);
		synthetic_thread_end(recording, thread, program.now + 6);
	}
	synthetic_enter(recording, synthetic_thread(recording, KYMO_NO_THREAD, NULL, 0), step, 1);
	synthetic_leave(recording, 3, step, 2);
	leave(&program, run);
	synthetic_close(recording, program.now + 100);
	return program;
}

static void test_threads(void **state)
{
	struct program program = program_with_threads();

	(void)state;
	assert_table(&program, &trip_count,
		     "|--------------------------------------------------------|\n"
		     "|              COUNTS NUMBER OF INVOCATIONS              |\n"
		     "|--------------------------------------------------------|\n"
		     "|     LABEL      | COUNT  | DEPTH  |   METRIC   |  SUM   |\n"
		     "|----------------|--------|--------|------------|--------|\n"
		     "| |0>>> run      |      1 |      0 | trip_count |      1 |\n"
		     "| |0>>> |_step   |      1 |      1 | trip_count |      1 |\n"
		     "| |1>>> |_worker |      1 |      1 | trip_count |      1 |\n"
		     "| |1>>>   |_step |      1 |      2 | trip_count |      1 |\n"
		     "| |2>>> |_worker |      1 |      1 | trip_count |      1 |\n"
		     "| |2>>>   |_step |      1 |      2 | trip_count |      1 |\n"
		     "| |3>>> step     |      1 |      0 | trip_count |      1 |\n"
		     "|--------------------------------------------------------|\n");
}

static void test_many_threads_pad_their_numbers(void **state)
{
	struct program program = program_begin();
	uint32_t run = region(&program, "run");

	(void)state;
	for (uint32_t thread = 1; thread < 11; thread++)
		synthetic_thread(program.recording, KYMO_NO_THREAD, NULL, 0);
	enter(&program, run);
	leave(&program, run);
	synthetic_enter(program.recording, 10, run, 1);
	synthetic_leave(program.recording, 10, run, 2);
	synthetic_close(program.recording, program.now);
	assert_table(&program, &trip_count,
		     "|----------------------------------------------------|\n"
		     "|            COUNTS NUMBER OF INVOCATIONS            |\n"
		     "|----------------------------------------------------|\n"
		     "|   LABEL    | COUNT  | DEPTH  |   METRIC   |  SUM   |\n"
		     "|------------|--------|--------|------------|--------|\n"
		     "| |00>>> run |      1 |      0 | trip_count |      1 |\n"
		     "| |10>>> run |      1 |      0 | trip_count |      1 |\n"
		     "|----------------------------------------------------|\n");
}

static void test_merged_threads(void **state)
{
	struct program program = program_with_threads();
	struct shown shown = trip_count;

	(void)state;
	shown.options.merges_threads = true;
	assert_table(&program, &shown,
		     "|------------------------------------------------------|\n"
		     "|             COUNTS NUMBER OF INVOCATIONS             |\n"
		     "|------------------------------------------------------|\n"
		     "|    LABEL     | COUNT  | DEPTH  |   METRIC   |  SUM   |\n"
		     "|--------------|--------|--------|------------|--------|\n"
		     "| >>> run      |      1 |      0 | trip_count |      1 |\n"
		     "| >>> |_step   |      1 |      1 | trip_count |      1 |\n"
		     "| >>> |_worker |      2 |      1 | trip_count |      2 |\n"
		     "| >>>   |_step |      2 |      2 | trip_count |      2 |\n"
		     "| >>> step     |      1 |      0 | trip_count |      1 |\n"
		     "|------------------------------------------------------|\n");
}

static void test_flat(void **state)
{
	struct program program = program_begin();
	uint32_t fib = region(&program, "fib"), regions[] = {fib, fib, fib, fib};
	struct shown shown = wall_clock;

	(void)state;
	shown.options.is_flat = true;
	shown.setting = "TIMING_UNITS";
	shown.value = "nsec";
	call_fib(&program, regions, 3);
	synthetic_close(program.recording, program.now);
	assert_table(&program, &shown,
		     "|----------------------------------------------------------------------------"
		     "---------------------------------------------------|\n"
		     "|                                            REAL-CLOCK TIMER (I.E. "
		     "WALL-CLOCK TIMER)                                           |\n"
		     "|----------------------------------------------------------------------------"
		     "---------------------------------------------------|\n"
		     "|  LABEL    | COUNT  | DEPTH  |   METRIC   | UNITS  |   SUM    |   MEAN   |  "
		     " MIN    |   MAX    |   VAR     | STDDEV   | % SELF |\n"
		     "|-----------|--------|--------|------------|--------|----------|----------|--"
		     "--------|----------|-----------|----------|--------|\n"
		     "| |0>>> fib |      5 |      0 | wall_clock | nsec   | 9.000000 | 3.400000 | "
		     "1.000000 | 9.000000 | 12.800000 | 3.577709 |  100.0 |\n"
		     "|----------------------------------------------------------------------------"
		     "---------------------------------------------------|\n");
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

static void test_processes(void **state)
{
	struct program first = program_begin(), second = program_begin();
	struct synthetic *recordings[] = {first.recording, second.recording};
	struct shown merged = trip_count;

	(void)state;
	/* The same region under different numbers. */
	region(&second, "other");
	for (struct program *program = &first; program;
	     program = program == &first ? &second : NULL) {
		uint32_t run = region(program, "run");

		enter(program, run);
		leave(program, run);
		synthetic_close(program->recording, program->now);
	}
	assert_tables(recordings, 2, &trip_count,
		      "|-----------------------------------------------------|\n"
		      "|             COUNTS NUMBER OF INVOCATIONS            |\n"
		      "|-----------------------------------------------------|\n"
		      "|   LABEL     | COUNT  | DEPTH  |   METRIC   |  SUM   |\n"
		      "|-------------|--------|--------|------------|--------|\n"
		      "| |0|0>>> run |      1 |      0 | trip_count |      1 |\n"
		      "| |1|0>>> run |      1 |      0 | trip_count |      1 |\n"
		      "|-----------------------------------------------------|\n");
	merged.options.merges_threads = merged.options.merges_processes = true;
	assert_tables(recordings, 2, &merged,
		      "|-------------------------------------------------|\n"
		      "|           COUNTS NUMBER OF INVOCATIONS          |\n"
		      "|-------------------------------------------------|\n"
		      "| LABEL   | COUNT  | DEPTH  |   METRIC   |  SUM   |\n"
		      "|---------|--------|--------|------------|--------|\n"
		      "| >>> run |      2 |      0 | trip_count |      2 |\n"
		      "|-------------------------------------------------|\n");
	synthetic_free(first.recording);
	synthetic_free(second.recording);
}

static struct program program_with_metrics(void)
{
	static const enum kymo_metric metrics[] = {KYMO_METRIC_THREAD_CPU_CLOCK,
						   KYMO_METRIC_CURRENT_PEAK_RSS,
						   KYMO_METRIC_NUM_MINOR_PAGE_FAULTS};
	struct program program = {.recording = synthetic_new(KYMO_HEADER_PROFILE)};
	uint32_t nodes[2];

	synthetic_metrics(program.recording, metrics, 3);
	program.thread = synthetic_thread(program.recording, KYMO_NO_THREAD, NULL, 0);
	nodes[0] = region(&program, "run");
	nodes[1] = region(&program, "step");
	for (int i = 0; i < 2; i++) {
		uint32_t entered = nodes[i];

		enter(&program, entered);
		nodes[i] = synthetic_current(program.recording, 0);
		program.now += 500000000;
	}
	for (int i = 0; i < 2; i++) {
		double cpu = i ? 100e6 : 250e6, peak = i ? 20e6 : 30e6, faults = i ? 3 : 7;

		*synthetic_metric_at(program.recording, nodes[i], 0) = (struct kymo_node_metric){
			.count = 1, .sum = cpu, .min = cpu, .max = cpu, .sum_squares = cpu * cpu};
		*synthetic_metric_at(program.recording, nodes[i], 1) =
			(struct kymo_node_metric){.count = 1,
						  .sum = peak,
						  .min = peak,
						  .max = peak,
						  .sum_squares = peak * peak};
		*synthetic_metric_at(program.recording, nodes[i], 2) =
			(struct kymo_node_metric){.count = 1,
						  .sum = faults,
						  .min = faults,
						  .max = faults,
						  .sum_squares = faults * faults};
	}
	synthetic_node_at(program.recording, nodes[1])->enter = 0;
	synthetic_node_at(program.recording, nodes[1])->sum = 500000000;
	synthetic_node_at(program.recording, nodes[0])->enter = 0;
	synthetic_node_at(program.recording, nodes[0])->sum = 1000000000;
	synthetic_header(program.recording)->state = KYMO_STATE_CLOSED;
	return program;
}

static void test_metrics(void **state)
{
	struct program program = program_with_metrics();
	struct shown shown = wall_clock;

	(void)state;
	shown.metric = "thread_cpu_clock";
	assert_tables(&program.recording, 1, &shown,
		      "|---------------------------------------------------------------------------"
		      "------------------------------------------------------------|\n"
		      "|                                                 CPU-CLOCK TIMER FOR THE "
		      "CALLING THREAD                                                |\n"
		      "|---------------------------------------------------------------------------"
		      "------------------------------------------------------------|\n"
		      "|    LABEL     | COUNT  | DEPTH  |      METRIC      | UNITS  |   SUM    |   "
		      "MEAN   |   MIN    |   MAX    |   VAR    | STDDEV   | % SELF |\n"
		      "|--------------|--------|--------|------------------|--------|----------|---"
		      "-------|----------|----------|----------|----------|--------|\n"
		      "| |0>>> run    |      1 |      0 | thread_cpu_clock | sec    | 0.250000 | "
		      "0.250000 | 0.250000 | 0.250000 | 0.000000 | 0.000000 |   60.0 |\n"
		      "| |0>>> |_step |      1 |      1 | thread_cpu_clock | sec    | 0.100000 | "
		      "0.100000 | 0.100000 | 0.100000 | 0.000000 | 0.000000 |  100.0 |\n"
		      "|---------------------------------------------------------------------------"
		      "------------------------------------------------------------|\n");
	shown.metric = "thread_cpu_util";
	assert_tables(&program.recording, 1, &shown,
		      "|---------------------------------------------------------------------------"
		      "-----------|\n"
		      "|      PERCENTAGE OF CPU-CLOCK TIME DIVIDED BY WALL-CLOCK TIME FOR CALLING "
		      "THREAD      |\n"
		      "|---------------------------------------------------------------------------"
		      "-----------|\n"
		      "|    LABEL     | COUNT  | DEPTH  |     METRIC      | UNITS  |  SUM   | MEAN "
		      "  | % SELF |\n"
		      "|--------------|--------|--------|-----------------|--------|--------|------"
		      "--|--------|\n"
		      "| |0>>> run    |      1 |      0 | thread_cpu_util | %      |   25.0 |   "
		      "25.0 |   60.0 |\n"
		      "| |0>>> |_step |      1 |      1 | thread_cpu_util | %      |   20.0 |   "
		      "20.0 |  100.0 |\n"
		      "|---------------------------------------------------------------------------"
		      "-----------|\n");
	shown.metric = "current_peak_rss";
	assert_tables(&program.recording, 1, &shown,
		      "|---------------------------------------------------------------------------"
		      "------------------------------|\n"
		      "|                       ABSOLUTE VALUE OF HIGH-WATER MARK OF MEMORY "
		      "ALLOCATION IN RAM                     |\n"
		      "|---------------------------------------------------------------------------"
		      "------------------------------|\n"
		      "|    LABEL     | COUNT  | DEPTH  |      METRIC      | UNITS  | MEAN   |  "
		      "MIN   |  MAX   |  VAR   | STDDEV |\n"
		      "|--------------|--------|--------|------------------|--------|--------|-----"
		      "---|--------|--------|--------|\n"
		      "| |0>>> run    |      1 |      0 | current_peak_rss | MB     | 30.000 | "
		      "30.000 | 30.000 |  0.000 |  0.000 |\n"
		      "| |0>>> |_step |      1 |      1 | current_peak_rss | MB     | 20.000 | "
		      "20.000 | 20.000 |  0.000 |  0.000 |\n"
		      "|---------------------------------------------------------------------------"
		      "------------------------------|\n");
	shown.metric = "num_minor_page_faults";
	assert_tables(&program.recording, 1, &shown,
		      "|---------------------------------------------------------------------------"
		      "--------------------------------------------|\n"
		      "|  NUMBER OF PAGE FAULTS SERVICED WITHOUT ANY I/O ACTIVITY VIA 'RECLAIMING' "
		      "A PAGE FRAME FROM THE LIST OF PAGES AWAITING|\n"
		      "|                                                      REALLOCATION         "
		      "                                            |\n"
		      "|---------------------------------------------------------------------------"
		      "--------------------------------------------|\n"
		      "|    LABEL     | COUNT  | DEPTH  |        METRIC         |  SUM   | MEAN   "
		      "|  MIN   |  MAX   |  VAR   | STDDEV | % SELF |\n"
		      "|--------------|--------|--------|-----------------------|--------|--------|"
		      "--------|--------|--------|--------|--------|\n"
		      "| |0>>> run    |      1 |      0 | num_minor_page_faults |      7 |  7.000 "
		      "|      7 |      7 |  0.000 |  0.000 |   57.1 |\n"
		      "| |0>>> |_step |      1 |      1 | num_minor_page_faults |      3 |  3.000 "
		      "|      3 |      3 |  0.000 |  0.000 |  100.0 |\n"
		      "|---------------------------------------------------------------------------"
		      "--------------------------------------------|\n");
	synthetic_free(program.recording);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recursion),
		cmocka_unit_test(test_one_region),
		cmocka_unit_test(test_arguments),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_many_threads_pad_their_numbers),
		cmocka_unit_test(test_merged_threads),
		cmocka_unit_test(test_flat),
		cmocka_unit_test(test_open_rows_are_marked),
		cmocka_unit_test(test_long_labels_are_cut),
		cmocka_unit_test(test_deep_labels_keep_their_names),
		cmocka_unit_test(test_processes),
		cmocka_unit_test(test_metrics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
