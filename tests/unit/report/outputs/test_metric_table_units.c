/* Each metric's title, columns and units in the tables of profiles. */
#include "metric_table_fixture.h"

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
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_flat),
		cmocka_unit_test(test_metrics),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
