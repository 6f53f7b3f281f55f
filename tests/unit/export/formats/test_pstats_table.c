/* The table of functions behind a pstats file: names as cProfile has them, and sums over
 * recordings.  That pstats itself reads the file is held by the end-to-end tests. */
#include "export/formats/pstats_table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "exported.h"
#include "model/recording/recording_open.h"
#include "model/tree/flat.h"

/* The table borrows from the recordings: they are freed after it, in release(). */
static struct recording *opened[2];
static size_t opened_count;

static void add(struct pstats_table *table, struct synthetic *made, const bool *regions)
{
	struct recording *recording = synthetic_open(made);
	struct calltree *tree;
	struct flat *flat;

	assert_int_equal(calltree_new(recording, &tree, NULL), KYMO_OK);
	assert_int_equal(flat_new(tree, NULL, &flat), KYMO_OK);
	pstats_table_add(table, recording, flat, regions);
	flat_free(flat);
	calltree_free(tree);
	opened[opened_count++] = recording;
}

static void release(struct pstats_table *table)
{
	pstats_table_release(table);
	while (opened_count > 0)
		recording_free(opened[--opened_count]);
}

static const struct pstats_function *find(const struct pstats_table *table, const char *name)
{
	for (size_t i = 0; i < table->function_count; i++) {
		if (strcmp(table->functions[i].name, name) == 0)
			return &table->functions[i];
	}
	fail_msg("no function '%s'", name);
	return NULL;
}

static const struct pstats_call *find_call(const struct pstats_table *table, const char *caller,
					   const char *callee)
{
	for (size_t i = 0; i < table->call_count; i++) {
		const struct pstats_call *call = &table->calls[i];

		if (strcmp(table->functions[call->caller].name, caller) == 0 &&
		    strcmp(table->functions[call->callee].name, callee) == 0)
			return call;
	}
	fail_msg("no call of '%s' by '%s'", callee, caller);
	return NULL;
}

static void visit(struct synthetic *made, uint32_t thread, uint32_t region, uint64_t time)
{
	synthetic_enter(made, thread, region, time);
	synthetic_leave(made, thread, region, time + 10);
}

static void test_names_are_those_of_cprofile(void **state)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE);
	struct pstats_table table = {0};
	uint32_t thread, regions[6];

	(void)state;
	regions[0] = synthetic_region(made, KYMO_REGION_PYTHON, "fib");
	synthetic_region_at(made, regions[0])->file = synthetic_string(made, "/u/a.py");
	synthetic_region_at(made, regions[0])->line = 3;
	regions[1] = synthetic_region(made, KYMO_REGION_PYTHON_C, "len");
	synthetic_region_at(made, regions[1])->module = synthetic_string(made, "builtins");
	regions[2] = synthetic_region(made, KYMO_REGION_PYTHON_C, "orphan");
	regions[3] = synthetic_region(made, KYMO_REGION_PYTHON_METHOD, "append");
	synthetic_region_at(made, regions[3])->module = synthetic_string(made, "list");
	regions[4] = synthetic_region(made, KYMO_REGION_PYTHON, "fib");
	*synthetic_region_at(made, regions[4]) = *synthetic_region_at(made, regions[0]);
	synthetic_region_at(made, regions[4])->arguments = synthetic_string(made, "(n=5)");
	regions[5] = synthetic_region(made, KYMO_REGION_USER, "step");
	thread = synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);
	for (uint32_t i = 0; i < 6; i++)
		visit(made, thread, regions[i], i * 100);
	synthetic_close(made, 1000);
	add(&table, made, NULL);

	assert_int_equal(table.function_count, 6);
	assert_string_equal(find(&table, "fib")->file, "/u/a.py");
	assert_int_equal(find(&table, "fib")->line, 3);
	assert_string_equal(find(&table, "<built-in method builtins.len>")->file, "~");
	assert_int_equal(find(&table, "<built-in method builtins.len>")->line, 0);
	assert_string_equal(find(&table, "<built-in method orphan>")->file, "~");
	assert_string_equal(find(&table, "<method 'append' of 'list' objects>")->file, "~");
	assert_int_equal(find(&table, "fib(n=5)")->line, 3);
	assert_string_equal(find(&table, "step")->file, "~");
	release(&table);
	synthetic_free(made);
}

/* run calls fib, which calls itself: 1 + 2 visits, in each of two recordings. */
static struct synthetic *recursion(const char *first, const char *second)
{
	struct synthetic *made = synthetic_new(KYMO_HEADER_PROFILE);
	uint32_t ids[2] = {synthetic_region(made, KYMO_REGION_PYTHON, first),
			   synthetic_region(made, KYMO_REGION_PYTHON, second)};
	uint32_t fib = ids[strcmp(first, "fib") != 0], run = ids[strcmp(first, "run") != 0];
	uint32_t thread = synthetic_thread(made, KYMO_NO_THREAD, NULL, 0);

	synthetic_enter(made, thread, run, 0);
	synthetic_enter(made, thread, fib, 10);
	synthetic_enter(made, thread, fib, 20);
	synthetic_leave(made, thread, fib, 50);
	synthetic_leave(made, thread, fib, 60);
	synthetic_leave(made, thread, run, 100);
	synthetic_close(made, 200);
	return made;
}

static void test_recordings_add_up_whatever_their_ids(void **state)
{
	struct synthetic *made[2] = {recursion("run", "fib"), recursion("fib", "run")};
	struct pstats_table table = {0};
	const struct pstats_function *fib;
	const struct pstats_call *call;

	(void)state;
	add(&table, made[0], NULL);
	add(&table, made[1], NULL);
	pstats_table_sort(&table);
	assert_int_equal(table.function_count, 2);
	assert_int_equal(table.call_count, 2);
	fib = find(&table, "fib");
	assert_int_equal(fib->count, 4);
	assert_int_equal(fib->primitive_count, 2);
	assert_true(fib->total_ns == 100 && fib->self_ns == 100);
	call = find_call(&table, "run", "fib");
	assert_int_equal(call->count, 2);
	assert_int_equal(call->primitive_count, 2);
	assert_true(call->total_ns == 100 && call->self_ns == 40);
	call = find_call(&table, "fib", "fib");
	assert_int_equal(call->count, 2);
	assert_true(call->total_ns == 60 && call->self_ns == 60);
	release(&table);
	synthetic_free(made[0]);
	synthetic_free(made[1]);
}

static void test_filtered_functions_are_no_callers_either(void **state)
{
	const bool regions[] = {false, false, true};
	struct synthetic *made = recursion("run", "fib");
	struct pstats_table table = {0};

	(void)state;
	add(&table, made, regions);
	pstats_table_sort(&table);
	assert_int_equal(table.function_count, 1);
	assert_int_equal(table.call_count, 1);
	assert_non_null(find_call(&table, "fib", "fib"));
	release(&table);
	synthetic_free(made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_are_those_of_cprofile),
		cmocka_unit_test(test_recordings_add_up_whatever_their_ids),
		cmocka_unit_test(test_filtered_functions_are_no_callers_either),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
