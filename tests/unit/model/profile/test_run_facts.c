/* What a report says about a run: its span, the cost of measuring, its losses. */
#include "model/profile/run_facts.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "model/recording/recording_open.h"
#include "synthetic.h"

#define PROCESSES_MAX 3

struct fixture {
	struct loaded_run loaded;
	struct run run;
	const struct calltree *trees[PROCESSES_MAX];
	struct recording *recordings[PROCESSES_MAX];
	struct run_facts *facts;
};

static struct synthetic *make_process(uint32_t pid, uint64_t start_ns)
{
	struct synthetic *process = synthetic_new(KYMO_HEADER_PROFILE);

	synthetic_header(process)->pid = pid;
	synthetic_header(process)->start_realtime_ns += start_ns;
	synthetic_thread(process, KYMO_NO_THREAD, "MainThread", 0);
	synthetic_region(process, KYMO_REGION_PYTHON, "run");
	synthetic_region(process, KYMO_REGION_PYTHON_C, "len");
	return process;
}

static void call(struct synthetic *process, uint32_t region, uint64_t begin, uint64_t end)
{
	synthetic_enter(process, 0, region, begin);
	synthetic_leave(process, 0, region, end);
}

static void load(struct fixture *fixture, struct synthetic **processes, size_t count)
{
	*fixture = (struct fixture){0};
	for (size_t i = 0; i < count; i++) {
		struct calltree *tree;

		fixture->recordings[i] = synthetic_open(processes[i]);
		assert_int_equal(calltree_new(fixture->recordings[i], &tree, NULL), KYMO_OK);
		fixture->trees[i] = tree;
	}
	fixture->loaded = (struct loaded_run){
		.run = &fixture->run,
		.trees = fixture->trees,
		.tree_count = count,
	};
	assert_int_equal(run_facts_new(&fixture->loaded, &fixture->facts), KYMO_OK);
}

static void unload(struct fixture *fixture, struct synthetic **processes)
{
	run_facts_free(fixture->facts);
	for (size_t i = 0; i < fixture->loaded.tree_count; i++) {
		calltree_free((struct calltree *)fixture->trees[i]);
		recording_free(fixture->recordings[i]);
		synthetic_free(processes[i]);
	}
}

static void test_cost(void **state)
{
	struct synthetic *process = make_process(7, 0);
	struct kymo_header *header = synthetic_header(process);
	struct fixture fixture;

	(void)state;
	header->cost_enter_exit_ps = 2000000; /* 2 us */
	header->cost_c_call_ps = 1000000;
	header->startup_ns = 5000;
	header->opening_ns = 4000; /* when the recording began it had gone on that long */
	for (uint64_t i = 0; i < 10; i++) {
		call(process, 1, 100 * i, 100 * i + 10);
		call(process, 2, 100 * i + 50, 100 * i + 60);
	}
	synthetic_close(process, 100000);
	load(&fixture, &process, 1);
	assert_int_equal(fixture.facts->call_count, 20);
	assert_int_equal(fixture.facts->c_call_count, 10);
	assert_true(fabs(fixture.facts->cost_s - 30e-6) < 1e-12);
	assert_true(fabs(fixture.facts->startup_s - 5e-6) < 1e-12);
	assert_true(fabs(fixture.facts->duration_s - 100e-6) < 1e-9);
	assert_true(fabs(fixture.facts->cost_percent - 100 * 35 / 104.0) < 0.01);
	assert_true(fixture.facts->is_calibrated);
	assert_int_equal(fixture.facts->loss_count, 0);
	unload(&fixture, &process);
}

static void test_cost_of_generators(void **state)
{
	struct synthetic *process = make_process(7, 0);
	struct kymo_header *header = synthetic_header(process);
	struct fixture fixture;

	(void)state;
	synthetic_region_at(process, 1)->flags = KYMO_REGION_GENERATOR;
	header->cost_enter_exit_ps = 2000000; /* 2 us */
	header->cost_resume_ps = 500000;
	for (uint64_t i = 0; i < 10; i++)
		call(process, 1, 100 * i, 100 * i + 10);
	synthetic_close(process, 100000);
	load(&fixture, &process, 1);
	assert_true(fabs(fixture.facts->cost_s - 5e-6) < 1e-12);
	unload(&fixture, &process);
}

/* CPU time where it is known; what is after the end is no part of the run. */
static void test_cost_by_cpu_time(void **state)
{
	struct synthetic *process = make_process(7, 0);
	struct kymo_header *header = synthetic_header(process);
	struct fixture fixture;

	(void)state;
	header->startup_ns = 50000;
	header->startup_cpu_ns = 6000;
	header->closing_cpu_ns = 7000;
	header->beside_cpu_ns = 8000;
	header->coarse_late_ns = 9000;
	synthetic_close(process, 100000);
	load(&fixture, &process, 1);
	assert_true(fabs(fixture.facts->startup_s - 6e-6) < 1e-12);
	assert_true(fabs(fixture.facts->closing_s - 7e-6) < 1e-12);
	assert_true(fabs(fixture.facts->beside_s - 8e-6) < 1e-12);
	assert_true(fabs(fixture.facts->coarse_late_s - 9e-6) < 1e-12);
	assert_true(fabs(run_facts_cost_s(fixture.facts) - 14e-6) < 1e-12);
	assert_true(fabs(fixture.facts->cost_percent - 14) < 0.01);
	unload(&fixture, &process);
}

static void test_span_of_several_processes(void **state)
{
	struct synthetic *processes[] = {make_process(7, 1000), make_process(8, 5000)};
	struct fixture fixture;

	(void)state;
	synthetic_close(processes[0], 2000);
	synthetic_close(processes[1], 3000);
	load(&fixture, processes, 2);
	assert_int_equal(fixture.facts->pid, 7);
	assert_int_equal(fixture.facts->start_realtime_ns, SYNTHETIC_START_REALTIME + 1000);
	assert_true(fabs(fixture.facts->duration_s - 7e-6) < 1e-12);
	assert_true(fabs(fixture.facts->process_duration_s - 5e-6) < 1e-12);
	assert_int_equal(fixture.facts->thread_count, 2);
	assert_false(fixture.facts->is_calibrated);
	unload(&fixture, processes);
}

static void test_losses(void **state)
{
	struct synthetic *process = make_process(7, 0);
	struct kymo_header *header = synthetic_header(process);
	struct fixture fixture;

	(void)state;
	header->refused_chunks = 2;
	header->refused_bytes = 3000000;
	header->lost_events = 1;
	header->stack_aside_count = 4;
	synthetic_thread_at(process, 0)->lost_events = 1234;
	synthetic_thread_at(process, 0)->folded = 5;
	synthetic_thread_at(process, 0)->resynced = 6;
	synthetic_note(process, KYMO_NOTE_WARNING, "python", "the profiler was replaced");
	synthetic_note(process, KYMO_NOTE_INFO, "python", "3.12");
	synthetic_close(process, 1000);
	load(&fixture, &process, 1);
	assert_int_equal(fixture.facts->loss_count, 7);
	assert_string_equal(fixture.facts->losses[0],
			    "no space for 3.00 MB of data; raise the limit or free disk");
	assert_string_equal(fixture.facts->losses[1], "1 events could not be recorded");
	assert_string_equal(fixture.facts->losses[3], "1,234 calls could not be recorded");
	assert_string_equal(fixture.facts->losses[6], "the profiler was replaced");
	unload(&fixture, &process);
}

/* Notes that begin with a number are added up, and a process that was replaced is one. */
static void test_noted_losses_add_up(void **state)
{
	struct synthetic *processes[] = {make_process(7, 0), make_process(7, 2000),
					 make_process(8, 0)};
	struct fixture fixture;

	(void)state;
	synthetic_header(processes[0])->state = KYMO_STATE_ABANDONED;
	for (int i = 0; i < 3; i++) {
		synthetic_note(processes[i], KYMO_NOTE_LOSS, "functions", "400 calls were missed");
		synthetic_note(processes[i], KYMO_NOTE_LOSS, "sampling", "3 of 10 are short");
		if (i > 0)
			synthetic_close(processes[i], 1000);
	}
	load(&fixture, processes, 3);
	assert_int_equal(fixture.facts->process_count, 2);
	assert_int_equal(fixture.facts->loss_count, 2);
	assert_string_equal(fixture.facts->losses[0], "2 processes: 1,200 calls were missed");
	assert_string_equal(fixture.facts->losses[1], "2 processes: 3 of 10 are short");
	unload(&fixture, processes);
}

/* The same loss of several processes is one line. */
static void test_processes_that_did_not_close(void **state)
{
	struct synthetic *processes[] = {make_process(7, 0), make_process(8, 0),
					 make_process(9, 0)};
	struct fixture fixture;
	bool is_said = false;

	(void)state;
	synthetic_close(processes[0], 1000);
	for (int i = 1; i < 3; i++)
		synthetic_enter(processes[i], 0, 1, 10);
	load(&fixture, processes, 3);
	assert_int_equal(fixture.facts->open_count, 2);
	for (size_t i = 0; i < fixture.facts->loss_count; i++)
		is_said |= strcmp(fixture.facts->losses[i],
				  "2 processes: recording not closed: killed, left by _exit, or "
				  "still running") == 0;
	assert_true(is_said);
	unload(&fixture, processes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cost),
		cmocka_unit_test(test_cost_of_generators),
		cmocka_unit_test(test_cost_by_cpu_time),
		cmocka_unit_test(test_span_of_several_processes),
		cmocka_unit_test(test_losses),
		cmocka_unit_test(test_noted_losses_add_up),
		cmocka_unit_test(test_processes_that_did_not_close),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
