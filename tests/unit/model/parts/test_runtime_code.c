/* Code of MPI and OpenMP, told from the program's. */
#include "model/parts/runtime_code.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static struct region native(const char *name, const char *module)
{
	return (struct region){.kind = KYMO_REGION_NATIVE, .name = name, .module = module};
}

static void test_whose_code_it_is(void **state)
{
	static const struct {
		const char *name, *module;
		enum runtime_code code;
	} cases[] = {
		{"work", "/home/prog", RUNTIME_CODE_NONE},
		{"MPI_Recv", NULL, RUNTIME_CODE_MPI},
		{"PMPI_Barrier", "/lib/libmpi.so.40.30.4", RUNTIME_CODE_MPI},
		{"mpi_send_", "prog", RUNTIME_CODE_MPI},
		{"mpi_helper", "prog", RUNTIME_CODE_NONE},
		{"opal_progress", "/lib/libopen-pal.so.40", RUNTIME_CODE_MPI},
		{"MPIDI_progress_test", "/lib/libmpich.so.12", RUNTIME_CODE_MPI},
		{"btl_progress", "/lib/openmpi3/mca_btl_vader.so", RUNTIME_CODE_MPI},
		{"gomp_team_barrier_wait_end", NULL, RUNTIME_CODE_OPENMP},
		{"libgomp.so.1+0x1dca0", "/lib/libgomp.so.1", RUNTIME_CODE_OPENMP},
		{"__kmp_fork_barrier", "libomp.so.5", RUNTIME_CODE_OPENMP},
		{"sched_yield (kernel)", NULL, RUNTIME_CODE_CALLEE},
		{"memcpy", "/lib/libc.so.6", RUNTIME_CODE_CALLEE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct region region = native(cases[i].name, cases[i].module);

		assert_int_equal(runtime_code_of(&region), cases[i].code);
	}
}

/* A Python function may be called anything. */
static void test_only_native_code(void **state)
{
	struct region region = {.kind = KYMO_REGION_PYTHON, .name = "MPI_Recv"};

	(void)state;
	assert_int_equal(runtime_code_of(&region), RUNTIME_CODE_NONE);
}

/* Python's bindings of MPI: what is C of them, not what is Python. */
static void test_bindings(void **state)
{
	static const struct {
		enum kymo_region_kind kind;
		const char *name, *module;
		enum runtime_code code;
	} cases[] = {
		{KYMO_REGION_PYTHON_METHOD, "Barrier", "mpi4py.MPI.Comm", RUNTIME_CODE_MPI},
		{KYMO_REGION_PYTHON_METHOD, "Wait", "mpi4py.MPI.Request", RUNTIME_CODE_MPI},
		{KYMO_REGION_PYTHON_C, "Finalize", "mpi4py.MPI", RUNTIME_CODE_MPI},
		{KYMO_REGION_PYTHON, "submit", "mpi4py.futures.pool", RUNTIME_CODE_NONE},
		{KYMO_REGION_PYTHON_METHOD, "Barrier", "threading", RUNTIME_CODE_NONE},
		{KYMO_REGION_PYTHON_C, "solve", "mpi4python.tools", RUNTIME_CODE_NONE},
		{KYMO_REGION_PYTHON_C, "sum", NULL, RUNTIME_CODE_NONE},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct region region = {
			.kind = cases[i].kind, .name = cases[i].name, .module = cases[i].module};

		assert_int_equal(runtime_code_of(&region), cases[i].code);
	}
}

static void test_what_they_call(void **state)
{
	struct region work = native("work", "prog"), system = native("sched_yield (kernel)", NULL);

	(void)state;
	assert_int_equal(runtime_code_below(RUNTIME_CODE_MPI, &work), RUNTIME_CODE_MPI);
	assert_int_equal(runtime_code_below(RUNTIME_CODE_OPENMP, &work), RUNTIME_CODE_NONE);
	assert_int_equal(runtime_code_below(RUNTIME_CODE_OPENMP, &system), RUNTIME_CODE_OPENMP);
	assert_int_equal(runtime_code_below(RUNTIME_CODE_NONE, &system), RUNTIME_CODE_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_whose_code_it_is),
		cmocka_unit_test(test_only_native_code),
		cmocka_unit_test(test_bindings),
		cmocka_unit_test(test_what_they_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
