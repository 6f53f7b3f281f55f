/* A folder for the output files of a run, and what is told of them.  Include cmocka.h before. */
#ifndef KYMO_REPORT_OUTPUT_FIXTURE_H
#define KYMO_REPORT_OUTPUT_FIXTURE_H

#include <sys/stat.h>

#include "base/array.h"
#include "report/outputs/output_document.h"
#include "report/report_fixture.h"

struct report_output_fixture {
	struct report_fixture run;
	char folder[32];
	struct run_output output;
	struct output_sum sum;
	char **announced; /* "kind path" */
	size_t announced_count, failed_count;
};

static inline void report_output_fixture_announce(void *context, const char *kind, const char *path)
{
	struct report_output_fixture *fixture = context;

	assert_true(lines_add(&fixture->announced, &fixture->announced_count, "%s %s", kind, path));
}

static inline void report_output_fixture_fail(void *context, const struct problem *problem)
{
	struct report_output_fixture *fixture = context;

	(void)problem;
	fixture->failed_count++;
}

/* Of report_fixture_begin(); as it stays in place: its address is the context. */
static inline void report_output_fixture_begin(struct report_output_fixture *fixture, size_t count)
{
	static char *environment[] = {NULL};

	*fixture = (struct report_output_fixture){.folder = "/tmp/kymo-output-XXXXXX"};
	assert_non_null(mkdtemp(fixture->folder));
	report_fixture_begin(&fixture->run, count);
	fixture->output = (struct run_output){
		.loaded = fixture->run.loaded,
		.facts = fixture->run.facts,
		.settings = fixture->run.report.settings,
		.directory = fixture->folder,
		.environment = environment,
		.most_bytes = UINT64_MAX,
		.announce = report_output_fixture_announce,
		.fail = report_output_fixture_fail,
		.context = fixture,
	};
}

static inline void report_output_fixture_set(struct report_output_fixture *fixture,
					     const char *setting, const char *value)
{
	struct settings *settings = (struct settings *)fixture->output.settings;

	assert_int_equal(
		settings_set(settings, setting, value, SETTING_FROM_COMMAND, &fixture->run.problem),
		KYMO_OK);
}

/* Bytes of the file of that name in the folder, -1 = there is none. */
static inline long long report_output_fixture_size(const struct report_output_fixture *fixture,
						   const char *name)
{
	char path[128];
	struct stat found;

	snprintf(path, sizeof(path), "%s/%s", fixture->folder, name);
	return stat(path, &found) == 0 ? (long long)found.st_size : -1;
}

/* With the files that were announced. */
static inline void report_output_fixture_release(struct report_output_fixture *fixture)
{
	for (size_t i = 0; i < fixture->announced_count; i++)
		unlink(strchr(fixture->announced[i], ' ') + 1);
	assert_int_equal(rmdir(fixture->folder), 0);
	lines_free(fixture->announced, fixture->announced_count);
	report_fixture_release(&fixture->run);
}

#endif
