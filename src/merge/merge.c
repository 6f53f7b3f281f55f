/* Merging: the inputs, the number of processes, and the output. */
#include "merge/merge.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"
#include "base/filemode.h"
#include "base/owner.h"
#include "merge/inputs/merge_choose.h"
#include "merge/inputs/merge_inputs.h"
#include "merge/inputs/merge_problem.h"
#include "merge/merge_add.h"
#include "merge/merge_share_out.h"
#include "merge/merge_state.h"
#include "model/recording/recording_open.h"

/* A further process pays off with so much input. */
#define BYTES_A_JOB (UINT64_C(64) << 20)
#define JOBS_MOST   16u

struct merging {
	const struct merge_options *options;
	struct merge_inputs inputs;
	struct merge_state state;
	struct merge_worker worker; /* if the work is shared */
	uint32_t number, worker_count;
	pid_t *children; /* of the workers from 1 on; NULL = started by others */
	uint64_t merged; /* recordings */
	bool has_made_output;
};

static bool is_merge_entry(const char *name)
{
	return strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
	       strncmp(name, ".parts-", 7) == 0;
}

static bool is_other_recording(const char *name)
{
	size_t length = strlen(name);

	return length > 5 && strcmp(name + length - 5, ".kymo") == 0 &&
	       strcmp(name, MERGE_FILE_NAME) != 0;
}

/* Processes that share the work see the same content: entries that they write before all have
 * checked belong to the merge. Existing files are neither lost nor made part of the result. */
static enum kymo_status check_content(const struct merging *merging, DIR *stream,
				      struct problem *problem)
{
	const char *output = merging->options->output;
	const struct dirent *entry;

	while ((entry = readdir(stream))) {
		if (is_merge_entry(entry->d_name))
			continue;
		if (is_other_recording(entry->d_name))
			return problem_set(problem, KYMO_USAGE,
					   "'%s' has recordings of its own ('%s'): name another "
					   "output",
					   output, entry->d_name);
		if (!merging->options->is_forced)
			return problem_set(problem, KYMO_USAGE,
					   "'%s' is not empty: name another output, or use "
					   "--force to replace an earlier merge in it",
					   output);
	}
	return KYMO_OK;
}

static enum kymo_status merge_make_output(struct merging *merging, struct problem *problem)
{
	const char *output = merging->options->output;
	enum kymo_status status;
	DIR *stream;

	merging->has_made_output = mkdir(output, filemode_folder()) == 0;
	if (!merging->has_made_output && errno == EEXIST)
		errno = owner_check_folder(output);
	if (!merging->has_made_output && errno)
		return problem_set(problem, KYMO_SYSTEM, "cannot make '%s': %s", output,
				   strerror(errno));
	stream = opendir(output);
	if (!stream)
		return problem_set(problem, KYMO_SYSTEM, "cannot write to '%s': %s", output,
				   strerror(errno));
	status = check_content(merging, stream, problem);
	closedir(stream);
	return status;
}

static enum kymo_status report_unread(struct merging *merging, const struct problem *line,
				      struct problem *problem)
{
	return lines_add(&merging->inputs.problems, &merging->inputs.problem_count, "%s",
			 line->text)
		       ? KYMO_OK
		       : merge_no_memory(problem);
}

static enum kymo_status add_input(struct merging *merging, const struct merge_input *input,
				  struct problem *problem)
{
	struct recording *recording;
	struct problem line;
	enum kymo_status status = recording_open(input->path, &recording, &line);

	if (status == KYMO_MEMORY)
		return problem_set(problem, status, "%s", line.text);
	if (status < 0)
		return report_unread(merging, &line, problem);
	status = merge_state_add(&merging->state, recording, merging->inputs.is_sampled, input->run,
				 input->run_id, &line);
	recording_free(recording);
	if (status == KYMO_FORMAT)
		return report_unread(merging, &line, problem);
	merging->merged += status == KYMO_OK;
	return status < 0 ? problem_set(problem, status, "%s", line.text) : KYMO_OK;
}

static enum kymo_status add_slice(struct merging *merging, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;

	for (size_t i = merging->number; i < merging->inputs.count && status == KYMO_OK;
	     i += merging->worker_count)
		status = add_input(merging, &merging->inputs.items[i], problem);
	return status;
}

/* Another process merges this slice, and reports.  Lines that all of them have are reported by the
 * first. */
static enum kymo_status merge_work(struct merging *merging, struct problem *problem)
{
	size_t common = merging->inputs.problem_count;
	struct merge_done done = {0};
	enum kymo_status status = add_slice(merging, problem), reported;
	char *part = merge_worker_part(&merging->worker, merging->number);
	struct problem unreported;

	if (!part)
		status = merge_no_memory(problem);
	if (status == KYMO_OK && merging->merged) {
		status = merge_state_write(&merging->state, part, merging->inputs.is_sampled,
					   problem);
		done.has_part = status == KYMO_OK;
	}
	done.status = status;
	done.problem = status < 0 ? problem->text : NULL;
	done.lines = merging->inputs.problems ? merging->inputs.problems + common : NULL;
	done.line_count = merging->inputs.problem_count - common;
	reported = merge_worker_report(&merging->worker, &done, &unreported);
	free(part);
	return reported < 0 && status == KYMO_OK
		       ? problem_set(problem, reported, "%s", unreported.text)
		       : status;
}

static enum kymo_status merge_take_lines(struct merging *merging, const struct merge_done *done,
					 struct problem *problem)
{
	for (size_t i = 0; i < done->line_count; i++)
		if (!lines_add(&merging->inputs.problems, &merging->inputs.problem_count, "%s",
			       done->lines[i]))
			return merge_no_memory(problem);
	return KYMO_OK;
}

static enum kymo_status merge_add_part(struct merging *merging, uint32_t number,
				       struct problem *problem)
{
	static const uint8_t run_id[16] = {0}; /* parts have their own */
	char *path = merge_worker_part(&merging->worker, number);
	struct recording *recording;
	enum kymo_status status =
		path ? recording_open(path, &recording, problem) : merge_no_memory(problem);

	if (status == KYMO_OK) {
		status = merge_state_add(&merging->state, recording, merging->inputs.is_sampled, "",
					 run_id, problem);
		recording_free(recording);
		merging->merged++;
	}
	if (path)
		unlink(path);
	free(path);
	return status;
}

static enum kymo_status take_part(struct merging *merging, uint32_t number, struct problem *problem)
{
	struct merge_done done;
	enum kymo_status status = merge_worker_wait(&merging->worker, number, &done, problem);

	if (status < 0)
		return status;
	status = merge_take_lines(merging, &done, problem);
	if (status == KYMO_OK && done.status < 0)
		status = problem_set(problem, done.status,
				     "process %u of %u that share the work: %s", number,
				     merging->worker_count, done.problem ? done.problem : "failed");
	if (status == KYMO_OK && done.has_part)
		status = merge_add_part(merging, number, problem);
	merge_done_release(&done);
	return status;
}

static enum kymo_status take_parts(struct merging *merging, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;

	for (uint32_t i = 1; i < merging->worker_count && status == KYMO_OK; i++)
		status = take_part(merging, i, problem);
	return status;
}

static unsigned int jobs_that_pay(const struct merging *merging)
{
	long processors = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t bytes = 0, jobs;

	for (size_t i = 0; i < merging->inputs.count; i++)
		bytes += merging->inputs.items[i].size;
	jobs = bytes / BYTES_A_JOB + 1;
	if (processors > 0 && jobs > (uint64_t)processors)
		jobs = (uint64_t)processors;
	return jobs > JOBS_MOST ? JOBS_MOST : (unsigned int)jobs;
}

/* In the child: never returns. */
static void child_run(struct merging *merging, const char *plan, uint32_t number)
{
	struct problem problem;
	enum kymo_status status;

	merging->number = number;
	merge_worker_release(&merging->worker);
	status = merge_worker_init(&merging->worker, merging->options->output, plan, number,
				   &problem);
	if (status == KYMO_OK)
		status = merge_work(merging, &problem);
	_exit(status < 0);
}

static enum kymo_status start_children(struct merging *merging, const char *plan,
				       struct problem *problem)
{
	merging->children = calloc(merging->worker_count, sizeof(*merging->children));
	if (!merging->children)
		return merge_no_memory(problem);
	fflush(NULL);
	for (uint32_t i = 1; i < merging->worker_count; i++) {
		merging->children[i] = fork();
		if (merging->children[i] == 0)
			child_run(merging, plan, i);
		if (merging->children[i] < 0)
			return problem_set(problem, KYMO_SYSTEM, "cannot start a process: %s",
					   strerror(errno));
	}
	return KYMO_OK;
}

static void wait_for_children(struct merging *merging)
{
	for (uint32_t i = 1; merging->children && i < merging->worker_count; i++)
		if (merging->children[i] > 0)
			waitpid(merging->children[i], NULL, 0);
	free(merging->children);
	merging->children = NULL;
}

/* The id of the work: the same in all processes that share it. */
static char *plan_of(const struct merging *merging)
{
	const struct merge_options *options = merging->options;
	char *plan = NULL;
	uint64_t bytes = 0;

	for (size_t i = 0; i < merging->inputs.count; i++)
		bytes += merging->inputs.items[i].size;
	if (options->rank_count > 1) {
		if (asprintf(&plan, "%s %u %zu %" PRIu64, options->job, options->rank_count,
			     merging->inputs.count, bytes) < 0)
			return NULL;
	} else if (asprintf(&plan, "process %ld", (long)getpid()) < 0) {
		return NULL;
	}
	return plan;
}

/* The workers' directory is removed when all parts were merged, or none will be. */
static enum kymo_status merge_share_threads_out(struct merging *merging, struct problem *problem)
{
	char *plan = plan_of(merging);
	enum kymo_status status = KYMO_OK;

	if (!plan)
		return merge_no_memory(problem);
	status = merge_worker_init(&merging->worker, merging->options->output, plan,
				   merging->number, problem);
	if (status == KYMO_OK && merging->options->rank_count <= 1)
		status = start_children(merging, plan, problem);
	free(plan);
	if (status == KYMO_OK && merging->number > 0)
		return merge_work(merging, problem);
	if (status == KYMO_OK)
		status = add_slice(merging, problem);
	if (status == KYMO_OK)
		status = take_parts(merging, problem);
	wait_for_children(merging);
	if (merging->worker.directory)
		merge_worker_remove_all(&merging->worker);
	return status;
}

static void count_workers(struct merging *merging)
{
	const struct merge_options *options = merging->options;

	merging->number = options->rank_count > 1 ? options->rank : 0;
	merging->worker_count = options->rank_count > 1 ? options->rank_count : options->jobs;
	if (!merging->worker_count)
		merging->worker_count = jobs_that_pay(merging);
	if (options->rank_count <= 1 && merging->worker_count > merging->inputs.count)
		merging->worker_count = merging->inputs.count ? (uint32_t)merging->inputs.count : 1;
}

static enum kymo_status write_output(struct merging *merging, struct problem *problem)
{
	char *path;
	enum kymo_status status;

	if (merging->options->is_strict && merging->inputs.problem_count)
		return problem_set(problem, KYMO_ERROR,
				   "nothing was written: --strict, and not all could be merged");
	if (!merging->merged)
		return problem_set(problem, KYMO_ERROR,
				   "nothing was written: there is nothing to "
				   "merge");
	if (asprintf(&path, "%s/" MERGE_FILE_NAME, merging->options->output) < 0)
		return merge_no_memory(problem);
	merging->state.totals.left_out =
		merge_add(merging->state.totals.left_out, merging->inputs.left_out);
	status = merge_state_write(&merging->state, path, merging->inputs.is_sampled, problem);
	free(path);
	return status;
}

static enum kymo_status merge_all(struct merging *merging, struct problem *problem)
{
	uint64_t memory = merging->options->memory_bytes;
	enum kymo_status status = merge_make_output(merging, problem);

	if (status < 0)
		return status;
	/* Processes of one machine share its memory. */
	if (merging->options->rank_count <= 1)
		memory /= merging->worker_count;
	merging->state.memory_limit = memory;
	status = merging->worker_count > 1 ? merge_share_threads_out(merging, problem)
					   : add_slice(merging, problem);
	if (status == KYMO_OK && merging->number == 0)
		status = write_output(merging, problem);
	return status;
}

/* The facts that the caller prints. */
static void make_result(struct merging *merging, struct merge_result *result)
{
	struct merge_inputs *inputs = &merging->inputs;
	struct problem ignored;

	*result = (struct merge_result){
		.left_out = inputs->left_out,
		.is_written = merging->number == 0,
		.process_count = merge_parts_process_count(&merging->state.parts, &ignored),
		.problems = inputs->problems,
		.problem_count = inputs->problem_count,
		.remarks = inputs->remarks,
		.remark_count = inputs->remark_count,
	};
	inputs->problems = inputs->remarks = NULL;
	inputs->problem_count = inputs->remark_count = 0;
}

enum kymo_status merge_recordings(char *const *given, size_t count,
				  const struct merge_options *options, struct merge_result *result,
				  struct problem *problem)
{
	struct merging merging = {.options = options, .worker = {.lock = -1}};
	enum kymo_status status;

	merge_state_init(&merging.state, options->output, options->memory_bytes);
	status = merge_inputs_read(&merging.inputs, given, count, problem);
	if (status == KYMO_OK)
		status = merge_inputs_choose(&merging.inputs, problem);
	if (status == KYMO_OK) {
		count_workers(&merging);
		status = merge_all(&merging, problem);
	}
	make_result(&merging, result);
	merge_state_release(&merging.state);
	merge_worker_release(&merging.worker);
	if (status < 0 && merging.has_made_output)
		rmdir(options->output);
	merge_inputs_release(&merging.inputs);
	return status;
}

void merge_result_release(struct merge_result *result)
{
	lines_free(result->problems, result->problem_count);
	lines_free(result->remarks, result->remark_count);
	*result = (struct merge_result){0};
}
