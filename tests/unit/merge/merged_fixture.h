/* What the tests of merging share: a folder for what is merged, and the outputs. */
#ifndef KYMO_MERGED_FIXTURE_H
#define KYMO_MERGED_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "merge/merge.h"
#include "model/recording/recording_open.h"
#include "writer/recording_writer.h"

static char folder[] = "/tmp/kymo-merge-XXXXXX";

static inline char *name_in(const char *name, unsigned int number)
{
	char *path;

	if (asprintf(&path, "%s/%s%u", folder, name, number) < 0)
		abort();
	return path;
}

static unsigned int output_count;

/* The output's directory; the caller frees. */
static inline char *merge(char **inputs, size_t count, uint64_t memory, unsigned int jobs)
{
	char *output = name_in("merged", output_count++);
	const struct merge_options options = {
		.output = output, .memory_bytes = memory, .jobs = jobs, .job = ""};
	struct merge_result result;
	struct problem problem;

	if (merge_recordings(inputs, count, &options, &result, &problem) < 0)
		fail_msg("%s", problem.text);
	for (size_t i = 0; i < result.problem_count; i++)
		fail_msg("%s", result.problems[i]);
	merge_result_release(&result);
	return output;
}

static inline char *content_of(const char *output, size_t *size_out)
{
	char *path, *content;
	FILE *file;

	if (asprintf(&path, "%s/" MERGE_FILE_NAME, output) < 0)
		abort();
	file = fopen(path, "r");
	assert_non_null(file);
	fseek(file, 0, SEEK_END);
	*size_out = (size_t)ftell(file);
	content = malloc(*size_out);
	rewind(file);
	assert_int_equal(fread(content, 1, *size_out, file), *size_out);
	fclose(file);
	free(path);
	return content;
}

static inline void assert_same(const char *a, const char *b)
{
	size_t size_a, size_b;
	char *content_a = content_of(a, &size_a), *content_b = content_of(b, &size_b);

	assert_int_equal(size_a, size_b);
	assert_memory_equal(content_a, content_b, size_a);
	free(content_a);
	free(content_b);
}

static inline void free_all(char **names, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(names[i]);
}

static inline struct recording *open_merged(const char *output)
{
	struct recording *recording;
	struct problem problem;
	char *path;

	if (asprintf(&path, "%s/" MERGE_FILE_NAME, output) < 0)
		abort();
	if (recording_open(path, &recording, &problem) < 0)
		fail_msg("%s", problem.text);
	for (size_t i = 0; i < recording->problem_count; i++)
		fail_msg("%s", recording->problems[i]);
	free(path);
	return recording;
}

static inline int remove_all(void **state)
{
	char command[64];

	(void)state;
	snprintf(command, sizeof(command), "rm -rf %s", folder);
	return system(command);
}

#endif
