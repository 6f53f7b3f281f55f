/* The run directory: made by the first process of a run, joined by its children through
 * KYMO_RUN_DIR. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "config/outputname.h"
#include "runtime/replaced.h"
#include "runtime/session.h"

#define SUFFIX_MAX 10000

/* Make every missing directory of path.  0 or an errno value. */
static int make_directories(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int result;

		*slash = '\0';
		result = mkdir(path, 0777) < 0 && errno != EEXIST ? errno : 0;
		*slash = '/';
		if (result != 0)
			return result;
	}
	return 0;
}

/* Make the last directory, free of other runs: "-2", "-3" … is added when it exists. */
static int make_unique(const char *wanted, char *path, size_t size)
{
	for (int i = 1; i < SUFFIX_MAX; i++) {
		int length = i == 1 ? snprintf(path, size, "%s", wanted)
				    : snprintf(path, size, "%s-%d", wanted, i);

		if (length < 0 || (size_t)length >= size)
			return ENAMETOOLONG;
		if (mkdir(path, 0777) == 0)
			return 0;
		if (errno != EEXIST)
			return errno;
	}
	return EEXIST;
}

static int make_plain(const char *wanted, char *path, size_t size)
{
	struct stat status;
	int length = snprintf(path, size, "%s", wanted);

	if (length < 0 || (size_t)length >= size)
		return ENAMETOOLONG;
	if (mkdir(path, 0777) == 0)
		return 0;
	if (errno != EEXIST)
		return errno;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode) ? 0 : ENOTDIR;
}

static int make_absolute(const char *path, char *absolute, size_t size)
{
	char resolved[PATH_MAX];

	if (!realpath(path, resolved))
		return errno;
	return snprintf(absolute, size, "%s", resolved) < (int)size ? 0 : ENAMETOOLONG;
}

static int make_directory(char *wanted, char *reason, size_t size)
{
	char path[PATH_MAX];
	int result = make_directories(wanted);

	if (result == 0 && settings_bool(session.settings, SET_TIME_OUTPUT))
		result = make_unique(wanted, path, sizeof(path));
	else if (result == 0)
		result = make_plain(wanted, path, sizeof(path));
	if (result == 0)
		result = make_absolute(path, session.directory, sizeof(session.directory));
	if (result == 0)
		return 0;
	snprintf(reason, size,
		 "cannot make the output directory '%s': %s; KYMO_OUTPUT_PATH names it", wanted,
		 strerror(result));
	return -1;
}

static int join(const char *directory, char *reason, size_t size)
{
	struct stat status;

	if (stat(directory, &status) < 0 || !S_ISDIR(status.st_mode)) {
		snprintf(reason, size, "the run directory '%s' is gone", directory);
		return -1;
	}
	snprintf(session.directory, sizeof(session.directory), "%s", directory);
	session.is_root = false;
	session.is_finisher = replaced_take_over();
	return 0;
}

static void name_program(const char *const *argv)
{
	const char *path = argv && argv[0] ? argv[0] : program_invocation_name;
	const char *slash = strrchr(path, '/');
	size_t used = 0;

	for (const char *byte = slash ? slash + 1 : path;
	     *byte && used < sizeof(session.program) - 1; byte++) {
		if (*byte == '.' && !strcmp(byte, ".py"))
			break;
		session.program[used++] = (unsigned char)*byte <= ' ' ? '_' : *byte;
	}
	if (used == 0)
		session.program[used++] = '_';
	session.program[used] = '\0';
}

int rundir_open(const char *const *argv, char *reason, size_t size)
{
	static const char *const unknown[] = {"program", NULL};
	struct output_context context = {argv && argv[0] ? argv : unknown,
					 getpid(),
					 getppid(),
					 time(NULL),
					 session.settings,
					 environ};
	const char *existing = settings_text(session.settings, SET_RUN_DIR);
	char *wanted;
	int result;

	name_program(argv);
	if (existing && existing[0])
		return join(existing, reason, size);
	session.is_root = true;
	session.is_finisher = true;
	wanted = output_directory(&context);
	if (!wanted) {
		snprintf(reason, size, "out of memory");
		return -1;
	}
	result = make_directory(wanted, reason, size);
	free(wanted);
	return result;
}
