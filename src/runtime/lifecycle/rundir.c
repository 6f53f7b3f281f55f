/* The run directory: made by the first process of a run or by the command that started it,
 * joined by the others through KYMO_RUN_DIR. */
#include "runtime/lifecycle/rundir.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/basename.h"
#include "base/owner.h"
#include "config/run/rundirectory.h"
#include "config/run/rundirectory_elsewhere.h"
#include "config/run/runjob.h"
#include "platform/systemclock.h"
#include "runtime/lifecycle/replaced.h"
#include "runtime/lifecycle/session.h"
#include "runtime/runtime.h"
#include "runtime/log.h"
#include "runtime/store/store.h"

static bool rundir_is_rank(void)
{
	const struct output_context context = {.environment = session_environment()};
	char job[RUNJOB_NAME_MAX];

	return runjob_name(&context, job, sizeof(job));
}

/* A launcher has named the process that finishes the run, also after exec(); otherwise the
 * recordings show whether this process made the run as another program. */
static int rundir_join(const char *directory, char *reason, size_t size)
{
	long long root = rundirectory_root(session_environment());
	struct stat status;

	if (stat(directory, &status) < 0 || !S_ISDIR(status.st_mode)) {
		snprintf(reason, size, "the run directory '%s' does not exist or is not reachable",
			 directory);
		return -1;
	}
	if (!owner_may_hold(&status)) {
		snprintf(reason, size, "the run directory '%s' belongs to another user", directory);
		return -1;
	}
	snprintf(session.directory, sizeof(session.directory), "%s", directory);
	session.is_root = root >= 0 && rundirectory_parent(session_environment()) == 0;
	if (session.is_root)
		kymo_cost_early(rundirectory_launch(session_environment()));
	session.is_rank = session.is_root && rundir_is_rank();
	session.is_finisher = root >= 0 ? root == session.pid : replaced_take_over();
	return 0;
}

static void rundir_name_program(const char *const *argv)
{
	const char *path = argv && argv[0] ? argv[0] : program_invocation_name;
	size_t used = 0;

	for (const char *byte = path_base_name(path); *byte && used < sizeof(session.program) - 1;
	     byte++) {
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
					 systemclock_seconds(),
					 session.settings,
					 session_environment()};
	const char *existing = settings_text(session.settings, SET_RUN_DIR);
	char job[RUNJOB_NAME_MAX];
	struct problem problem;
	int status;

	rundir_name_program(argv);
	if (existing && existing[0])
		return rundir_join(existing, reason, size);
	session.is_root = true;
	session.is_rank = runjob_name(&context, job, sizeof(job));
	session.is_finisher = true;
	status =
		rundirectory_make(&context, session.directory, sizeof(session.directory), &problem);
	if (status == KYMO_OK)
		return 0;
	status = rundirectory_elsewhere(&context, session.directory, sizeof(session.directory),
					&problem);
	if (status == KYMO_OK) {
		kymo_log(KYMO_LOG_WARNING, "%s", problem.text);
		return 0;
	}
	snprintf(reason, size, "%s", problem.text);
	return -1;
}

pid_t rundir_parent(void)
{
	pid_t parent = getppid(), recorded = rundirectory_parent(session_environment());

	return parent <= 1 && recorded && recorded != session.pid ? recorded : parent;
}

void rundir_export(void)
{
	if (session.is_root && settings_text(session.settings, SET_RUN_DIR)[0] == '\0')
		rundirectory_export(session.directory, session.pid, &store.header->pairs[0]);
	rundirectory_sign(session_environment(), session.pid);
}

void kymo_run_sign(char *const *environment)
{
	rundirectory_sign(environment, session.pid);
}

void rundir_first_pair(void)
{
	struct kymo_clock_pair first;

	if (rundirectory_clock(session_environment(), &first))
		store_precede(&first);
}
