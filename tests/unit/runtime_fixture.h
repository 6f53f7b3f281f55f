/* What white-box tests of the runtime share: each case runs in a child process of its
 * own, since the runtime is one per process and must meet each fork and end anew.
 *
 * In a child only CHECK() may be used; it ends the child with the place on stderr. */
#ifndef KYMO_RUNTIME_FIXTURE_H
#define KYMO_RUNTIME_FIXTURE_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "model/recording/recording.h"
#include "model/recording/recording_open.h"
#include "runtime/runtime.h"

#define CASE_TIMEOUT_S 60

#define CHECK(condition)                                                                           \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			dprintf(fixture_stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__,       \
				#condition);                                                       \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

static char fixture_directory[256]; /* of the case that runs; removed after it */
static int fixture_stderr = 2;	    /* also where a case has put another one in its place */

static void fixture_remove(const char *path)
{
	DIR *stream = opendir(path);
	const struct dirent *entry;

	while (stream && (entry = readdir(stream)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			unlinkat(dirfd(stream), entry->d_name, 0);
	if (stream)
		closedir(stream);
	rmdir(path);
}

/* Run body in a child with a fresh directory; the test fails when the child does. */
static void fixture_run(void (*body)(void))
{
	const char *parent = getenv("TMPDIR");
	int status = 0;
	pid_t child;

	snprintf(fixture_directory, sizeof(fixture_directory), "%.200s/kymo-test-XXXXXX",
		 parent ? parent : "/tmp");
	assert_non_null(mkdtemp(fixture_directory));
	fixture_stderr = fcntl(2, F_DUPFD_CLOEXEC, 200);
	child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		signal(SIGSEGV, SIG_DFL); /* the test program's own handler tells nothing here */
		alarm(CASE_TIMEOUT_S);
		body();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	fixture_remove(fixture_directory);
	assert_int_equal(status, 0);
}

/* "NAME=VALUE" settings, closed by NULL, on top of those that keep a test to itself. */
__attribute__((unused)) static void fixture_open(const char *const *settings)
{
	static const char *const program[] = {"fixture", NULL};
	const char *all[32] = {"TIME_OUTPUT=OFF", "FINISH=OFF", "SUPPRESS_PARSING=ON"};
	struct kymo_runtime_options options = {
		.size = sizeof(options), .settings = all, .argv = program};
	char output[sizeof(fixture_directory) + 16], reason[512] = "";
	size_t count = 3;

	snprintf(output, sizeof(output), "OUTPUT_PATH=%s", fixture_directory);
	all[count++] = output;
	for (size_t i = 0; settings && settings[i]; i++)
		all[count++] = settings[i];
	CHECK(count < sizeof(all) / sizeof(*all));
	if (kymo_runtime_open(&options, reason, sizeof(reason)) != 0) {
		fprintf(stderr, "cannot open the runtime: %s\n", reason);
		_exit(1);
	}
}

/* The recording at path as readers see it; it must be free of problems. */
__attribute__((unused)) static struct recording *fixture_read(const char *path)
{
	struct recording *recording = NULL;
	struct problem problem = {""};

	if (recording_open(path, &recording, &problem) != KYMO_OK) {
		fprintf(stderr, "cannot read '%s': %s\n", path, problem.text);
		_exit(1);
	}
	for (size_t i = 0; i < recording->problem_count; i++)
		fprintf(stderr, "problem: %s\n", recording->problems[i]);
	CHECK(recording->problem_count == 0);
	return recording;
}

__attribute__((unused)) static uint32_t fixture_region(const char *name)
{
	struct kymo_region_spec spec = {.kind = KYMO_REGION_USER, .name = name};

	return kymo_region_intern(&spec);
}

#endif
