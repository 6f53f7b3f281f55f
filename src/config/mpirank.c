/* The variables of the launchers. */
#include "config/mpirank.h"

#include <stddef.h>
#include <string.h>

/* The first of the variables that is set to a number. */
static const char *first_number(mpirank_lookup_fn lookup, const void *context,
				const char *const *names)
{
	for (; *names != NULL; names++) {
		const char *value = lookup(context, *names);

		if (value != NULL && *value != '\0' && value[strspn(value, "0123456789")] == '\0')
			return value;
	}
	return NULL;
}

const char *mpirank_text(mpirank_lookup_fn lookup, const void *context)
{
	static const char *const names[] = {"MPI_RANKID",
					    "MV2_COMM_WORLD_RANK",
					    "OMPI_COMM_WORLD_RANK",
					    "PMIX_RANK",
					    "PMI_RANK",
					    NULL};
	static const char *const slurm_names[] = {"SLURM_PROCID", NULL};
	const char *rank = first_number(lookup, context, names);

	/* A batch script has SLURM_PROCID too; only tasks of a step are ranks. */
	if (rank == NULL && lookup(context, "SLURM_STEP_NUM_TASKS") != NULL)
		rank = first_number(lookup, context, slurm_names);
	return rank;
}

const char *mpirank_size_text(mpirank_lookup_fn lookup, const void *context)
{
	static const char *const names[] = {"MPI_SIZE",
					    "MPI_NRANKS",
					    "MV2_COMM_WORLD_SIZE",
					    "OMPI_COMM_WORLD_SIZE",
					    "PMI_SIZE",
					    "SLURM_STEP_NUM_TASKS",
					    NULL};

	return first_number(lookup, context, names);
}
