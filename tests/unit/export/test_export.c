/* Exporters by their names, and files that appear only when they are whole. */
#include "export/export.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "command/xalloc.h"
#include "export/export_sink.h"
#include "export/export_source.h"

static enum kymo_status write_it(const struct export_source *source,
				 const struct export_options *options, struct export_sink *sink,
				 struct problem *problem)
{
	sink_text(sink, source->selection.run->path);
	return options->has_annotations ? KYMO_OK : problem_set(problem, KYMO_FORMAT, "no");
}

static const struct exporter plain = {.name = "plain", .write = write_it};

static enum kymo_status lack_memory(const struct export_source *source,
				    const struct export_options *options, struct export_sink *sink,
				    struct problem *problem)
{
	(void)options;
	(void)problem;
	sink_text(sink, source->selection.run->path);
	xfree(xcalloc(SIZE_MAX / 2, 4));
	return KYMO_OK;
}

static const struct exporter lacking = {.name = "lacking", .write = lack_memory};

static struct recording recording; /* without threads */
static struct recording *recordings[] = {&recording};

static struct run run_of(const char *path)
{
	return (struct run){.path = (char *)path, .recordings = recordings, .recording_count = 1};
}

static void assert_content(const char *path, const char *expected)
{
	char text[64] = "";
	FILE *file = fopen(path, "rb");

	assert_non_null(file);
	text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
	fclose(file);
	assert_string_equal(text, expected);
}

static void test_exporters_are_found_by_their_names(void **state)
{
	(void)state;
	for (size_t i = 0; i < exporter_count; i++) {
		assert_ptr_equal(exporter_find(exporter_table[i]->name), exporter_table[i]);
		assert_true(exporter_table[i]->extension[0] != '.');
	}
	assert_null(exporter_find("perfect"));
}

/* After a failure an older file of that name is as it was. */
static void test_a_file_is_whole_or_as_it_was(void **state)
{
	char path[] = "/tmp/kymo-export-XXXXXX";
	struct run run = run_of("first");
	struct export_options options = EXPORT_OPTIONS_DEFAULT;
	struct problem problem;
	uint64_t bytes = 0;

	(void)state;
	close(mkstemp(path));
	assert_int_equal(export_run(&plain, &run, &options, path, &bytes, NULL), KYMO_OK);
	assert_int_equal(bytes, 5);
	assert_content(path, "first");
	run.path = (char *)"second";
	options.has_annotations = false;
	assert_int_equal(export_run(&plain, &run, &options, path, NULL, &problem), KYMO_FORMAT);
	assert_content(path, "first");
	options.has_annotations = true;
	options.most_bytes = 3;
	assert_int_equal(export_run(&plain, &run, &options, path, NULL, &problem), KYMO_LIMIT);
	assert_content(path, "first");
	options.most_bytes = 6;
	assert_int_equal(export_run(&plain, &run, &options, path, NULL, &problem), KYMO_OK);
	assert_content(path, "second");
	unlink(path);
}

/* Nothing half written stays, and what comes next is as usual. */
static void test_lack_of_memory_leaves_no_file(void **state)
{
	char folder[] = "/tmp/kymo-export-XXXXXX", path[64];
	struct run run = run_of("text");
	struct export_options options = EXPORT_OPTIONS_DEFAULT;
	struct problem problem;

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/out", folder);
	assert_int_equal(export_run(&lacking, &run, &options, path, NULL, &problem), KYMO_MEMORY);
	assert_string_equal(problem.text, "out of memory");
	assert_int_equal(rmdir(folder), 0); /* it is empty */
	assert_int_equal(mkdir(folder, 0700), 0);
	assert_int_equal(export_run(&plain, &run, &options, path, NULL, &problem), KYMO_OK);
	assert_content(path, "text");
	unlink(path);
	rmdir(folder);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exporters_are_found_by_their_names),
		cmocka_unit_test(test_a_file_is_whole_or_as_it_was),
		cmocka_unit_test(test_lack_of_memory_leaves_no_file),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
