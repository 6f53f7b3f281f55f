/* The environment variables of MPI launchers. */
#include "config/mpirank.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

#include "platform/proc/proc_file.h"
#include "platform/proc/proc_stat.h"

/* The first of the variables that is set to a number. */
static const char *mpirank_first_number(mpirank_lookup_fn lookup, const void *context,
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
	const char *rank = mpirank_first_number(lookup, context, names);

	/* A batch script has SLURM_PROCID too; only tasks of a step are ranks. */
	if (rank == NULL && lookup(context, "SLURM_STEP_NUM_TASKS") != NULL)
		rank = mpirank_first_number(lookup, context, slurm_names);
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

	return mpirank_first_number(lookup, context, names);
}

#define PART_MAX      60 /* of a name, from one variable */
#define ANCESTORS_MAX 64
#define FILE_MAX      (256u << 10)

/* Appends value after a '-'; only characters that are harmless in a file name. */
static void mpirank_append(char *text, size_t size, const char *value)
{
	size_t used = strlen(text), end;

	if (used > 0 && used + 1 < size)
		text[used++] = '-';
	end = used + PART_MAX < size - 1 ? used + PART_MAX : size - 1;
	for (; *value && used < end; value++)
		text[used++] = isalnum((unsigned char)*value) ? *value : '_';
	text[used] = '\0';
}

/* The variables of each launcher that together identify a job. */
static bool name_by_variables(mpirank_lookup_fn lookup, const void *context, char *text,
			      size_t size)
{
	static const char *const launchers[][2] = {
		{"PMIX_NAMESPACE", NULL},
		{"OMPI_MCA_ess_base_jobid", NULL},
		{"PMI_JOBID", NULL},
		{"SLURM_JOB_ID", "SLURM_STEP_ID"},
	};

	for (size_t i = 0; i < sizeof(launchers) / sizeof(*launchers); i++) {
		const char *first = lookup(context, launchers[i][0]);
		const char *second = launchers[i][1] ? lookup(context, launchers[i][1]) : "";

		if (!first || !*first || !second)
			continue;
		mpirank_append(text, size, first);
		if (*second)
			mpirank_append(text, size, second);
		return true;
	}
	return false;
}

/* A file of /proc/PID, NUL-terminated; NULL when out of memory or not permitted. */
static char *read_of(pid_t pid, const char *name, size_t *length)
{
	char *text = malloc(FILE_MAX + 1);
	long got = text ? proc_read(pid, 0, name, text, FILE_MAX + 1) : -ENOMEM;

	if (got <= 0) {
		free(text);
		return NULL;
	}
	*length = (size_t)got;
	return text;
}

struct block {
	const char *text;
	size_t length;
};

static const char *lookup_block(const void *context, const char *name)
{
	const struct block *block = context;
	size_t length = strlen(name);

	for (const char *at = block->text; at < block->text + block->length; at += strlen(at) + 1)
		if (strncmp(at, name, length) == 0 && at[length] == '=')
			return at + length + 1;
	return NULL;
}

/* Is the process a rank itself?  A process of another user is not. */
static bool mpirank_is_rank(pid_t pid)
{
	struct block block;
	char *text = read_of(pid, "environ", &block.length);
	bool is_one;

	block.text = text;
	is_one = text && mpirank_text(lookup_block, &block);
	free(text);
	return is_one;
}

/* The parent of a process, and the process's start time; 0 = unknown. */
static pid_t mpirank_parent_of(pid_t pid, unsigned long long *began)
{
	uint64_t fields[PROC_STAT_FIELDS];

	if (!proc_stat_read(pid, 0, fields))
		return 0;
	*began = fields[PROC_STAT_START];
	return (pid_t)fields[PROC_STAT_PARENT];
}

/* The nearest ancestor that is no rank has started all ranks. */
static bool name_by_launcher(char *text, size_t size)
{
	char host[65] = "", number[64];
	unsigned long long began = 0;
	pid_t pid = getppid();

	for (int i = 0; i < ANCESTORS_MAX && pid > 1 && mpirank_is_rank(pid); i++)
		pid = mpirank_parent_of(pid, &began);
	if (pid <= 1 || mpirank_parent_of(pid, &began) < 0 || began == 0)
		return false;
	gethostname(host, sizeof(host) - 1);
	snprintf(number, sizeof(number), "%d_%llu", (int)pid, began);
	mpirank_append(text, size, host);
	mpirank_append(text, size, number);
	return true;
}

bool mpirank_job(mpirank_lookup_fn lookup, const void *context, char *text, size_t size)
{
	const char *count = mpirank_size_text(lookup, context);

	*text = '\0';
	if (!mpirank_text(lookup, context) || !count || strtoul(count, NULL, 10) < 2)
		return false;
	return name_by_variables(lookup, context, text, size) || name_by_launcher(text, size);
}
