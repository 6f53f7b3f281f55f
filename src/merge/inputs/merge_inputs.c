/* Finds the recordings to merge. */
#include "base/owner.h"
#include "merge/inputs/merge_inputs.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/array.h"
#include "merge/inputs/merge_problem.h"
#include "model/recording/clock_map.h"
#include "model/recording/process_set.h"
#include "model/recording/recording_open.h"
#include "model/recording/run.h"

/* Lists may refer to lists; this bounds cycles. */
#define LISTS_DEEP 8

static enum kymo_status inputs_read_header(int descriptor, const char *path,
					   struct kymo_header *header, uint64_t *size_out,
					   struct problem *problem)
{
	struct stat info;
	enum kymo_status status = owner_stat_file(descriptor, path, &info, problem);
	ssize_t got;

	if (status < 0)
		return status;
	got = pread(descriptor, header, sizeof(*header), 0);
	if (got < 0)
		return problem_set(problem, KYMO_SYSTEM, "cannot read '%s': %s", path,
				   strerror(errno));
	if (got < (ssize_t)sizeof(header->magic) ||
	    memcmp(header->magic, KYMO_FORMAT_MAGIC, sizeof(header->magic)) != 0)
		return problem_set(problem, KYMO_FORMAT, "'%s' is not a recording of kymo", path);
	if (got < (ssize_t)sizeof(*header))
		return problem_set(problem, KYMO_FORMAT, "'%s' is cut off in its header", path);
	*size_out = (uint64_t)info.st_size;
	return KYMO_OK;
}

/* A run without an id is identified by the content of the recording. */
static void name_by_content(int descriptor, uint64_t size, uint8_t run_id[16])
{
	void *content;

	if (process_run_is_named(run_id) || size == 0)
		return;
	content = mmap(NULL, size, PROT_READ, MAP_SHARED, descriptor, 0);
	if (content == MAP_FAILED)
		return;
	process_name_run(run_id, content, size);
	munmap(content, size);
}

/* The folder of a path, without a leading "./". */
static char *inputs_folder_of(const char *path)
{
	const char *end = strrchr(path, '/');

	while (strncmp(path, "./", 2) == 0)
		for (path += 2; *path == '/'; path++)
			;
	if (!end || end < path)
		return strdup(".");
	while (end > path && end[-1] == '/')
		end--;
	return end == path ? strdup("/") : strndup(path, (size_t)(end - path));
}

static enum kymo_status merge_input_read(const char *path, struct merge_input *input,
					 struct kymo_header *header, struct problem *problem)
{
	int descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	uint64_t size = 0;
	enum kymo_status status = inputs_read_header(descriptor, path, header, &size, problem);

	if (status == KYMO_OK) {
		*input = (struct merge_input){
			.pid = header->pid,
			.flags = header->flags,
			.start_realtime_ns = header->start_realtime_ns,
			.process_count = 1,
			.size = size,
		};
		memcpy(input->run_id, header->run_id, sizeof(input->run_id));
		name_by_content(descriptor, size, input->run_id);
		input->path = strdup(path);
		input->run = inputs_folder_of(path);
		if (!input->path || !input->run) {
			free(input->path);
			free(input->run);
			status = merge_no_memory(problem);
		}
	}
	if (descriptor >= 0)
		close(descriptor);
	return status;
}

static enum kymo_status inputs_add_problem(struct merge_inputs *inputs, const char *line,
					   struct problem *problem)
{
	return lines_add(&inputs->problems, &inputs->problem_count, "%s", line)
		       ? KYMO_OK
		       : merge_no_memory(problem);
}

static uint64_t inputs_end_of(const char *path, const struct kymo_header *header)
{
	struct recording known = {.header = *header}, *opened;
	struct problem ignored;
	uint64_t end = UINT64_MAX;

	if (header->state == KYMO_STATE_CLOSED && header->end_ticks >= header->start_ticks) {
		clock_map_prepare(&known.header);
		return recording_realtime_ns(&known, header->end_ticks);
	}
	if (recording_open(path, &opened, &ignored) == KYMO_OK) {
		end = recording_realtime_ns(opened, opened->end_ticks);
		recording_free(opened);
	}
	return end;
}

static void merge_input_release(struct merge_input *input)
{
	free(input->path);
	free(input->run);
}

static int inputs_latest_first(const void *left, const void *right)
{
	const struct merge_input *a = left, *b = right;

	return a->start_realtime_ns > b->start_realtime_ns
		       ? -1
		       : a->start_realtime_ns < b->start_realtime_ns;
}

/* Of a job: the start of the first of its ranks. */
static uint64_t inputs_newest_start(const struct merge_inputs *inputs, size_t first)
{
	uint64_t start = 0;
	bool is_job = false;

	for (size_t i = first; i < inputs->count; i++) {
		const struct merge_input *input = &inputs->items[i];

		if (!(input->flags & KYMO_HEADER_ROOT))
			continue;
		if (start == 0)
			is_job = input->flags & KYMO_HEADER_RANK;
		if (start == 0 || (is_job && (input->flags & KYMO_HEADER_RANK)))
			start = input->start_realtime_ns;
	}
	return start;
}

/* As when a run is opened: of several runs in a directory the newest is used, with all that ran at
 * the same time. */
static enum kymo_status keep_newest(struct merge_inputs *inputs, size_t first, const char *path,
				    struct problem *problem)
{
	size_t kept = first, dropped;
	uint64_t start;

	if (inputs->count - first > 1)
		qsort(&inputs->items[first], inputs->count - first, sizeof(*inputs->items),
		      inputs_latest_first);
	start = inputs_newest_start(inputs, first);
	for (size_t i = first; i < inputs->count; i++) {
		struct merge_input *input = &inputs->items[i], other;
		struct kymo_header header;
		struct problem ignored;
		uint64_t end = UINT64_MAX;

		if (input->start_realtime_ns < start &&
		    merge_input_read(input->path, &other, &header, &ignored) == KYMO_OK) {
			end = inputs_end_of(input->path, &header);
			merge_input_release(&other);
		}
		if (end < start) {
			merge_input_release(input);
			continue;
		}
		if (input->start_realtime_ns < start)
			start = input->start_realtime_ns;
		inputs->items[kept++] = *input;
	}
	dropped = inputs->count - kept;
	inputs->count = kept;
	if (dropped && !lines_add(&inputs->remarks, &inputs->remark_count,
				  "'%s' also holds %zu recordings of earlier runs, left out; name "
				  "their files to merge them, too",
				  path, dropped))
		return merge_no_memory(problem);
	return KYMO_OK;
}

static enum kymo_status inputs_add_recording(struct merge_inputs *inputs, const char *path,
					     struct problem *problem)
{
	struct merge_input *items =
		array_grow(inputs->items, &inputs->capacity, inputs->count + 1, sizeof(*items));
	struct kymo_header header;
	struct problem line;
	enum kymo_status status;

	if (!items)
		return merge_no_memory(problem);
	inputs->items = items;
	status = merge_input_read(path, &items[inputs->count], &header, &line);
	if (status == KYMO_OK)
		inputs->count++;
	else
		status = status == KYMO_MEMORY ? merge_no_memory(problem)
					       : inputs_add_problem(inputs, line.text, problem);
	return status;
}

static enum kymo_status inputs_add_path(struct merge_inputs *inputs, const char *path,
					struct problem *problem)
{
	char **paths = NULL;
	size_t count = 0, first = inputs->count;
	struct problem line;
	enum kymo_status status = run_list(path, &paths, &count, &line);

	if (status == KYMO_MEMORY)
		return merge_no_memory(problem);
	if (status < 0)
		return inputs_add_problem(inputs, line.text, problem);
	for (size_t i = 0; i < count && status == KYMO_OK; i++)
		status = inputs_add_recording(inputs, paths[i], problem);
	lines_free(paths, count);
	if (status == KYMO_OK && inputs->count > first + 1)
		status = keep_newest(inputs, first, path, problem);
	return status;
}

static enum kymo_status add_given(struct merge_inputs *inputs, const char *given,
				  unsigned int depth, struct problem *problem);

static enum kymo_status inputs_add_lines(struct merge_inputs *inputs, FILE *list, const char *name,
					 unsigned int depth, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;
	char *line = NULL;
	size_t capacity = 0;
	ssize_t length;

	errno = 0;
	while (status == KYMO_OK && (length = getline(&line, &capacity, list)) >= 0) {
		if (length > 0 && line[length - 1] == '\n')
			line[--length] = '\0';
		if ((size_t)length != strlen(line))
			status = problem_set(problem, KYMO_FORMAT,
					     "'%s' is not a list of paths: it has NUL bytes", name);
		else if (length > 0)
			status = add_given(inputs, line, depth + 1, problem);
	}
	if (status == KYMO_OK && ferror(list))
		status = problem_set(problem, KYMO_SYSTEM, "cannot read '%s': %s", name,
				     strerror(errno));
	free(line);
	return status;
}

static enum kymo_status inputs_add_list(struct merge_inputs *inputs, const char *name,
					unsigned int depth, struct problem *problem)
{
	FILE *list = fopen(name, "re");
	enum kymo_status status;

	if (!list)
		return problem_set(problem, KYMO_SYSTEM, "cannot read the list '%s': %s", name,
				   strerror(errno));
	status = inputs_add_lines(inputs, list, name, depth, problem);
	fclose(list);
	return status;
}

static enum kymo_status add_given(struct merge_inputs *inputs, const char *given,
				  unsigned int depth, struct problem *problem)
{
	bool is_list = given[0] == '@' || strcmp(given, "-") == 0;

	if (is_list && depth > LISTS_DEEP)
		return problem_set(problem, KYMO_USAGE, "lists name each other: '%s'", given);
	if (given[0] == '@')
		return inputs_add_list(inputs, given + 1, depth, problem);
	if (is_list)
		return inputs_add_lines(inputs, stdin, "standard input", depth, problem);
	return inputs_add_path(inputs, given, problem);
}

enum kymo_status merge_inputs_read(struct merge_inputs *inputs, char *const *given, size_t count,
				   struct problem *problem)
{
	enum kymo_status status = KYMO_OK;

	for (size_t i = 0; i < count && status == KYMO_OK; i++)
		status = add_given(inputs, given[i], 0, problem);
	return status;
}

void merge_inputs_release(struct merge_inputs *inputs)
{
	for (size_t i = 0; i < inputs->count; i++)
		merge_input_release(&inputs->items[i]);
	free(inputs->items);
	lines_free(inputs->problems, inputs->problem_count);
	lines_free(inputs->remarks, inputs->remark_count);
	*inputs = (struct merge_inputs){0};
}
