/* Making the directory of a run, and passing it to other processes. */
#include "config/run/rundirectory.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/filemode.h"
#include "base/owner.h"
#include "config/run/runjob.h"
#include "platform/ticks.h"

#define SUFFIX_MAX    10000
#define NUMBER_DIGITS 10

/* Make every missing directory of path.  Checks the deepest existing one: anybody can create a
 * directory in /tmp in the place of a run's, and would own what is in it.  0 or an errno value. */
static int make_directories(char *path)
{
	int refused = 0;

	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int result;

		*slash = '\0';
		if (refused && access(path, F_OK) < 0) {
			*slash = '/';
			return refused;
		}
		result = mkdir(path, filemode_folder()) < 0 ? errno : 0;
		refused = result == EEXIST ? owner_check_folder(path) : 0;
		*slash = '/';
		if (result != 0 && result != EEXIST)
			return result;
	}
	return refused;
}

/* Make the last directory, used by no other run: "-2", "-3" … is appended when it exists. */
static int make_unique(const char *wanted, char *path, size_t size)
{
	for (int i = 1; i < SUFFIX_MAX; i++) {
		int length = i == 1 ? snprintf(path, size, "%s", wanted)
				    : snprintf(path, size, "%s-%d", wanted, i);

		if (length < 0 || (size_t)length >= size)
			return ENAMETOOLONG;
		if (mkdir(path, filemode_folder()) == 0)
			return 0;
		if (errno != EEXIST)
			return errno;
	}
	return EEXIST;
}

static int make_plain(const char *wanted, char *path, size_t size)
{
	int length = snprintf(path, size, "%s", wanted);

	if (length < 0 || (size_t)length >= size)
		return ENAMETOOLONG;
	if (mkdir(path, filemode_folder()) == 0)
		return 0;
	return errno == EEXIST ? owner_check_folder(path) : errno;
}

static int make_absolute(const char *path, char *absolute, size_t size)
{
	char resolved[PATH_MAX];

	if (!realpath(path, resolved))
		return errno;
	return snprintf(absolute, size, "%s", resolved) < (int)size ? 0 : ENAMETOOLONG;
}

enum kymo_status rundirectory_make(const struct output_context *context, char *path, size_t size,
				   struct problem *problem)
{
	bool is_named = settings_bool(context->settings, SET_TIME_OUTPUT);
	runjob_make_fn make_folder = is_named ? make_unique : make_plain;
	char *wanted = output_directory(context), made[PATH_MAX], job[RUNJOB_NAME_MAX];
	int result;

	if (!wanted)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	result = make_directories(wanted);
	if (result == 0 && runjob_name(context, job, sizeof(job)))
		result = runjob_share(context, wanted, job, make_folder, made);
	else if (result == 0)
		result = make_folder(wanted, made, sizeof(made));
	if (result == 0)
		result = make_absolute(made, path, size);
	if (result != 0)
		problem_set(problem, KYMO_SYSTEM,
			    "cannot make the output directory '%s': %s; KYMO_OUTPUT_PATH names it",
			    wanted,
			    result == EPERM ? "it lies in a folder of another user"
					    : strerror(result));
	free(wanted);
	return result == 0 ? KYMO_OK : KYMO_SYSTEM;
}

/* The value of a variable; NULL = not set. */
static char *rundirectory_find(char *const *environment, const char *name)
{
	size_t length = strlen(name);

	for (; environment && *environment; environment++)
		if (!strncmp(*environment, name, length) && (*environment)[length] == '=')
			return *environment + length + 1;
	return NULL;
}

void rundirectory_export(const char *directory, pid_t root, const struct kymo_clock_pair *pair)
{
	struct kymo_clock_pair now;
	char text[128];

	if (!pair) {
		now = clock_read_pair();
		pair = &now;
	}
	setenv(RUN_DIRECTORY_VARIABLE, directory, 1);
	snprintf(text, sizeof(text), "%d", (int)root);
	setenv(RUN_ROOT_VARIABLE, text, 1);
	snprintf(text, sizeof(text), "%0*d", NUMBER_DIGITS, 0);
	setenv(RUN_PARENT_VARIABLE, text, 1);
	setenv(RUN_COST_VARIABLE, text, 1);
	snprintf(text, sizeof(text), "%d:%" PRIu64 ":%" PRIu64 ":%" PRIu64, (int)clock_kind(),
		 pair->ticks, pair->monotonic_ns, pair->realtime_ns);
	setenv(RUN_CLOCK_VARIABLE, text, 1);
}

long long rundirectory_root(char *const *environment)
{
	const char *value = rundirectory_find(environment, RUN_ROOT_VARIABLE);

	return value && *value ? strtoll(value, NULL, 10) : -1;
}

pid_t rundirectory_parent(char *const *environment)
{
	const char *value = rundirectory_find(environment, RUN_PARENT_VARIABLE);

	return value ? (pid_t)strtol(value, NULL, 10) : 0;
}

/* In place: others hold pointers to the entry, and it is passed on unchanged. */
static void rundirectory_put_number(char *const *environment, const char *name, uint64_t number)
{
	char *value = rundirectory_find(environment, name);

	if (!value || strlen(value) != NUMBER_DIGITS)
		return;
	for (int digit = NUMBER_DIGITS; digit-- > 0; number /= 10)
		value[digit] = (char)('0' + number % 10);
}

void rundirectory_sign(char *const *environment, pid_t pid)
{
	rundirectory_put_number(environment, RUN_PARENT_VARIABLE, (uint64_t)pid);
}

uint64_t rundirectory_cost(char *const *environment)
{
	const char *value = rundirectory_find(environment, RUN_COST_VARIABLE);

	return value ? strtoull(value, NULL, 10) : 0;
}

void rundirectory_record_cost(char *const *environment, uint64_t cost_ps)
{
	rundirectory_put_number(environment, RUN_COST_VARIABLE, cost_ps);
}

void rundirectory_export_launch(uint64_t cpu_ns)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, cpu_ns);
	setenv(RUN_LAUNCH_VARIABLE, text, 1);
}

uint64_t rundirectory_launch(char *const *environment)
{
	const char *value = rundirectory_find(environment, RUN_LAUNCH_VARIABLE);

	return value ? strtoull(value, NULL, 10) : 0;
}

bool rundirectory_clock(char *const *environment, struct kymo_clock_pair *pair_out)
{
	const char *value = rundirectory_find(environment, RUN_CLOCK_VARIABLE);
	struct kymo_clock_pair pair;
	int kind;

	if (!value || sscanf(value, "%d:%" SCNu64 ":%" SCNu64 ":%" SCNu64, &kind, &pair.ticks,
			     &pair.monotonic_ns, &pair.realtime_ns) != 4)
		return false;
	if (kind != (int)clock_kind())
		return false;
	*pair_out = pair;
	return true;
}
