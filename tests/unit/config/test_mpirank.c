/* What launchers say of ranks and jobs. */
#include "config/mpirank.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

static const char *lookup(const void *context, const char *name)
{
	size_t length = strlen(name);

	for (const char *const *each = context; *each; each++)
		if (strncmp(*each, name, length) == 0 && (*each)[length] == '=')
			return *each + length + 1;
	return NULL;
}

static void assert_job(const char *const *environment, const char *expected)
{
	char name[96];

	assert_true(mpirank_job(lookup, environment, name, sizeof(name)));
	assert_string_equal(name, expected);
}

static void assert_none(const char *const *environment)
{
	char name[96];

	assert_false(mpirank_job(lookup, environment, name, sizeof(name)));
}

static void test_names(void **state)
{
	const char *const open_mpi[] = {"OMPI_COMM_WORLD_RANK=1", "OMPI_COMM_WORLD_SIZE=4",
					"PMIX_NAMESPACE=prterun-node.1@1", "SLURM_JOB_ID=7", NULL};
	const char *const slurm[] = {"SLURM_PROCID=3", "SLURM_STEP_NUM_TASKS=8", "SLURM_JOB_ID=77",
				     "SLURM_STEP_ID=2", NULL};
	const char *const pmi[] = {"PMI_RANK=0", "PMI_SIZE=2", "PMI_JOBID=../x/.", NULL};

	(void)state;
	assert_job(open_mpi, "prterun_node_1_1");
	assert_job(slurm, "77-2");
	assert_job(pmi, "___x__");
}

/* A batch script, a program that is started alone, and one that is no rank. */
static void test_no_job(void **state)
{
	const char *const batch[] = {"SLURM_PROCID=0", "SLURM_JOB_ID=77", NULL};
	const char *const alone[] = {"PMI_RANK=0", "PMI_SIZE=1", "PMI_JOBID=a", NULL};
	const char *const unknown[] = {"PMI_RANK=0", "PMI_JOBID=a", NULL};
	const char *const none[] = {NULL};

	(void)state;
	assert_none(batch);
	assert_none(alone);
	assert_none(unknown);
	assert_none(none);
}

/* By the process that is above all ranks: the same each time. */
static void test_launchers_without_names(void **state)
{
	const char *const mpich[] = {"PMI_RANK=0", "PMI_SIZE=2", NULL};
	char name[96], again[96];

	(void)state;
	assert_true(mpirank_job(lookup, mpich, name, sizeof(name)));
	assert_true(mpirank_job(lookup, mpich, again, sizeof(again)));
	assert_string_equal(name, again);
	assert_null(strchr(name, '/'));
	assert_true(name[0] != '.');
}

static void test_names_are_cut(void **state)
{
	char text[512] = "PMI_JOBID=", name[16];
	const char *const environment[] = {"PMI_RANK=0", "PMI_SIZE=2", text, NULL};

	(void)state;
	memset(text + strlen(text), 'a', 400);
	assert_true(mpirank_job(lookup, environment, name, sizeof(name)));
	assert_int_equal(strlen(name), sizeof(name) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_no_job),
		cmocka_unit_test(test_launchers_without_names),
		cmocka_unit_test(test_names_are_cut),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
