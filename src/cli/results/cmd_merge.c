/* kymo merge: processes, ranks and repeated runs become one. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/owner.h"
#include "base/text/plaintext.h"
#include "cli/commands.h"
#include "cli/options/options.h"
#include "config/mpirank.h"
#include "merge/merge.h"

#define MEMORY_MIB  256
#define LINES_SHOWN 20

struct merge_command {
	struct merge_options options;
	uint64_t memory_mib, jobs;
	char **given;
	size_t given_count;
	char job[512];
};

static enum options_result merge_parse(struct merge_command *command, int argc, char **argv,
				       struct problem *problem)
{
	const struct option_row rows[] = {
		{'o', "output", OPTION_TEXT, &command->options.output, "RUN",
		 "Directory to write: new, or empty"},
		{'j', "jobs", OPTION_COUNT, &command->jobs, "N",
		 "Merge with N processes (default: chosen by the amount of work)"},
		{0, "memory", OPTION_COUNT, &command->memory_mib, "MIB",
		 "Memory for the call trees; the rest is in a temporary file in the output "
		 "(default: 256)"},
		{0, "strict", OPTION_FLAG, &command->options.is_strict, NULL,
		 "Write nothing if any input cannot be read"},
		{0, "force", OPTION_FLAG, &command->options.is_forced, NULL,
		 "Replace an earlier merge in the output, and read runs that belong to other "
		 "users"},
	};
	const struct option_table table = {
		.command = "kymo merge",
		.usage = "[options] -o RUN RUN...",
		.description =
			"Merges runs, recordings and merged runs into one run, which has the sum "
			"of their call trees and keeps the time of each thread in each region. "
			"@FILE, or "
			"- for standard input, is a list of paths. 'mpirun -n N kymo merge ...' "
			"shares the work among N ranks.",
		.rows = rows,
		.row_count = sizeof(rows) / sizeof(*rows),
	};
	enum options_result result = options_parse(&table, &argc, argv, problem);

	command->given = argv;
	command->given_count = (size_t)argc;
	return result;
}

static enum kymo_status merge_check(struct merge_command *command, struct problem *problem)
{
	if (!command->options.output || !*command->options.output)
		return problem_set(problem, KYMO_USAGE, "name the run to write with -o");
	if (command->given_count == 0)
		return problem_set(problem, KYMO_USAGE, "name the runs to merge");
	if (command->memory_mib == 0 || command->memory_mib > UINT64_MAX >> 20)
		return problem_set(problem, KYMO_USAGE, "--memory is a number of MiB from 1 on");
	if (command->jobs > 1024)
		return problem_set(problem, KYMO_USAGE, "%" PRIu64 " jobs are too many",
				   command->jobs);
	command->options.memory_bytes = command->memory_mib << 20;
	command->options.jobs = (unsigned int)command->jobs;
	return KYMO_OK;
}

static const char *environment(const void *context, const char *name)
{
	(void)context;
	return getenv(name);
}

/* The launcher's job id, by which the ranks of a job find each other, and ignore those of an
 * earlier job that failed. */
static void name_job(struct merge_command *command)
{
	static const char *const names[] = {"PMIX_NAMESPACE", "OMPI_MCA_ess_base_jobid",
					    "PMI_JOBID",      "SLURM_JOB_ID",
					    "SLURM_STEP_ID",  "PBS_JOBID",
					    "LSB_JOBID"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		const char *value = getenv(names[i]);
		size_t length = strlen(command->job);

		snprintf(command->job + length, sizeof(command->job) - length, "%.60s/",
			 value ? value : "");
	}
	command->options.job = command->job;
}

static enum kymo_status find_rank(struct merge_command *command, struct problem *problem)
{
	const char *rank = mpirank_text(environment, NULL);
	const char *size = mpirank_size_text(environment, NULL);
	unsigned long number, count;

	command->options.job = "";
	if (!rank || !size)
		return KYMO_OK;
	number = strtoul(rank, NULL, 10);
	count = strtoul(size, NULL, 10);
	if (count > 1u << 20 || number >= count)
		return problem_set(problem, KYMO_ERROR,
				   "the environment says that this is rank %s of %s", rank, size);
	command->options.rank = (uint32_t)number;
	command->options.rank_count = (uint32_t)count;
	name_job(command);
	return KYMO_OK;
}

static void merge_print_lines(char *const *lines, size_t count, const char *what)
{
	for (size_t i = 0; i < count && i < LINES_SHOWN; i++)
		plaintext_print(stderr, "kymo: %s\n", lines[i]);
	if (count > LINES_SHOWN)
		fprintf(stderr, "kymo: and %zu more %s\n", count - LINES_SHOWN, what);
}

static void merge_print_result(const struct merge_command *command,
			       const struct merge_result *result, bool is_written)
{
	merge_print_lines(result->remarks, result->remark_count, "of the kind");
	merge_print_lines(result->problems, result->problem_count, "that were left out");
	if (result->left_out)
		fprintf(stderr,
			"kymo: %" PRIu64 " process%s with samples but no calls left out: samples "
			"and calls do not add up\n",
			result->left_out, result->left_out == 1 ? "" : "es");
	if (is_written)
		plaintext_print(stderr, "kymo: merged %" PRIu64 " process%s into '%s'\n",
				result->process_count, result->process_count == 1 ? "" : "es",
				command->options.output);
}

int cmd_merge(int argc, char **argv)
{
	struct merge_command command = {.memory_mib = MEMORY_MIB};
	struct merge_result result = {0};
	struct problem problem;
	enum kymo_status status;
	int code;
	enum options_result parsed = merge_parse(&command, argc, argv, &problem);

	if (parsed != OPTIONS_PARSED)
		return command_end_options(parsed, &problem);
	*owner_force() = command.options.is_forced;
	status = merge_check(&command, &problem);
	if (status == KYMO_OK)
		status = find_rank(&command, &problem);
	if (status == KYMO_OK)
		status = merge_recordings(command.given, command.given_count, &command.options,
					  &result, &problem);
	/* The other ranks send their messages to the first one. */
	if (command.options.rank == 0 || status < 0)
		merge_print_result(&command, &result, status == KYMO_OK);
	code = status < 0 ? command_fail(status, &problem) : 0;
	if (code == 0 && result.is_written && result.problem_count)
		code = 1;
	merge_result_release(&result);
	return code;
}
