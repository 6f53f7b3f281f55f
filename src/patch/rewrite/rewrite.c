/* Rewriting a file: the steps in their order; the output is written completely or not at all. */
#include "patch/rewrite/rewrite.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/outfile.h"
#include "base/writewhole.h"
#include "patch/read/planread.h"
#include "patch/rewrite/rewriteframes.h"
#include "patch/rewrite/rewritehead.h"
#include "patch/rewrite/rewrite_work.h"
#include "patch/rewrite/rewriteinput.h"
#include "patch/rewrite/rewritesegment.h"
#include "patch/rewrite/rewritetables.h"

static enum kymo_status check_environment(const struct rewrite_options *options,
					  struct problem *problem)
{
	for (size_t i = 0; i < options->environment_count; i++) {
		const char *each = options->environment[i], *sign = strchr(each, '=');

		if (!sign || sign == each)
			return problem_set(problem, KYMO_USAGE,
					   "'%s' is no NAME=VALUE for the environment", each);
	}
	return KYMO_OK;
}

static enum kymo_status check_output(const char *input, const char *output, struct problem *problem)
{
	struct stat from, to;

	if (stat(input, &from) == 0 && stat(output, &to) == 0 && from.st_dev == to.st_dev &&
	    from.st_ino == to.st_ino)
		return problem_set(problem, KYMO_USAGE,
				   "output '%s' is the input itself: give it another name", output);
	return KYMO_OK;
}

static enum kymo_status check_plan(const struct rewrite_work *work, struct problem *problem)
{
	const struct plan_header *header = work->plan->header;

	if (header->image_end != work->image_end || header->code_size % REWRITE_PAGE != 0 ||
	    header->code_size == 0)
		return problem_set(problem, KYMO_FORMAT,
				   "cannot rewrite '%s': its plan was made for another file",
				   work->path);
	return KYMO_OK;
}

static bool add_environment(struct rewrite_work *work, const struct rewrite_options *options)
{
	size_t start = work->used;
	struct rewrite_head *head;

	for (size_t i = 0; i < options->environment_count; i++) {
		const char *each = options->environment[i];

		if (rewritesegment_add(work, each, strlen(each) + 1, 1) == SIZE_MAX)
			return false;
	}
	head = (struct rewrite_head *)(void *)work->segment;
	head->environment_offset = start;
	head->environment_size = work->used - start;
	return true;
}

static enum kymo_status rewrite_build(struct rewrite_work *work, uint8_t *choice,
				      const struct rewrite_options *options,
				      struct rewrite_result *result, struct problem *problem)
{
	enum kymo_status status;

	work->address = work->image_end;
	work->offset = (work->size + REWRITE_PAGE - 1) & -(uint64_t)REWRITE_PAGE;
	if (rewritesegment_add(work, NULL, sizeof(struct rewrite_head), 16) == SIZE_MAX ||
	    !add_environment(work, options))
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	status = rewritesegment_tables(work, choice, problem);
	if (status == KYMO_OK)
		status = rewritetables_reserve(work, problem);
	if (status == KYMO_OK)
		status = rewritesegment_code(work, problem);
	if (status != KYMO_OK)
		return status;
	rewritesegment_write(work, choice, &result->taken, &result->refused);
	if (result->taken == 0)
		return problem_set(problem, KYMO_ERROR,
				   "nothing to write: no function of '%s' is chosen that can be "
				   "instrumented",
				   work->path);
	status = rewriteframes_merge(work, problem);
	return status == KYMO_OK ? rewritetables_finish(work, problem) : status;
}

static void finish_head(struct rewrite_work *work, const uint8_t *choice,
			const struct rewrite_result *result)
{
	struct rewrite_head *head = (struct rewrite_head *)(void *)work->segment;
	struct plan_header *plan =
		(struct plan_header *)(void *)(work->segment + work->plan_offset);

	memcpy(head->magic, REWRITE_MAGIC, sizeof(head->magic));
	head->version = REWRITE_VERSION;
	head->cost = work->plan->header->cost;
	head->variant = work->plan->header->variant & PLAN_VARIANT_SERIALIZED;
	head->size = work->used;
	head->address = work->address;
	head->plan_offset = work->plan_offset;
	head->plan_size = work->plan_size;
	head->original_size = work->mapped;
	head->taken = result->taken;
	memcpy(work->segment + head->choice_offset, choice, head->choice_count);
	plan->checksum = plan_checksum(plan, work->plan_size);
}

/* As the input's; set-user-id only for the same user's file. */
static bool copy_mode(int fd, const char *input)
{
	struct stat from, to;

	if (stat(input, &from) < 0 || fstat(fd, &to) < 0)
		return false;
	if (!S_ISREG(to.st_mode))
		return true;
	return fchmod(fd, from.st_mode & (from.st_uid == to.st_uid ? 07777 : 0777)) == 0;
}

static enum kymo_status write_out(const struct rewrite_work *work, const char *output,
				  struct rewrite_result *result, struct problem *problem)
{
	static const unsigned char zeros[REWRITE_PAGE];
	struct outfile file;
	enum kymo_status status = outfile_open(&file, output, problem);

	if (status != KYMO_OK)
		return status;
	if (!write_whole(file.fd, work->bytes, work->size) ||
	    !write_whole(file.fd, zeros, work->offset - work->size) ||
	    !write_whole(file.fd, work->segment, work->used) ||
	    !write_whole(file.fd, work->tail, work->tail_size) ||
	    /* Data appended to the program is expected at its end. */
	    !write_whole(file.fd, work->bytes + work->size, work->mapped - work->size) ||
	    !copy_mode(file.fd, work->path)) {
		int error = errno;

		outfile_discard(&file);
		return problem_set(problem, KYMO_SYSTEM, "cannot write '%s': %s", output,
				   strerror(error));
	}
	result->size_before = work->mapped;
	result->size_after =
		work->offset + work->used + work->tail_size + work->mapped - work->size;
	return outfile_commit(&file, problem);
}

static uint8_t *choice_of(const struct plan *plan, const uint8_t *choice)
{
	size_t count = plan->header->function_count;
	uint8_t *copy = malloc(count + 1);

	if (!copy)
		return NULL;
	for (size_t i = 0; i < count; i++)
		copy[i] = choice ? choice[i] : CHOICE_TAKEN;
	return copy;
}

enum kymo_status rewrite_file(const char *input, const char *output, const struct plan *plan,
			      const uint8_t *choice, const struct rewrite_options *options,
			      struct rewrite_result *result, struct problem *problem)
{
	static const struct rewrite_options no_options;
	struct rewrite_work work = {.plan = plan};
	struct rewrite_result done = {0};
	uint8_t *taken = NULL;
	enum kymo_status status;

	if (!options)
		options = &no_options;
	status = check_environment(options, problem);
	if (status == KYMO_OK)
		status = check_output(input, output, problem);
	if (status == KYMO_OK)
		status = rewriteinput_open(&work, input, problem);
	if (status == KYMO_OK)
		status = check_plan(&work, problem);
	if (status == KYMO_OK) {
		taken = choice_of(plan, choice);
		status = taken ? rewrite_build(&work, taken, options, &done, problem)
			       : problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	if (status == KYMO_OK) {
		finish_head(&work, taken, &done);
		status = write_out(&work, output, &done, problem);
	}
	if (status == KYMO_OK && result)
		*result = done;
	free(taken);
	rewriteinput_close(&work);
	return status;
}
