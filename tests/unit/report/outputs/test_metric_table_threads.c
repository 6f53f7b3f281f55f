/* Threads and processes in the tables of profiles, apart and merged. */
#include "metric_table_fixture.h"

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_threads),
		cmocka_unit_test(test_many_threads_pad_their_numbers),
		cmocka_unit_test(test_merged_threads),
		cmocka_unit_test(test_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
