/* Processes that look at the program from outside while it runs.  Each is nobody's child: the
 * program has no child that it does not know, and its threads are stopped by somebody else than its
 * parent, who waits for it. */
#include "cli/run/run_looker.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/heartbeat/heartbeat.h"
#include "cli/run/run_command.h"
#include "cli/run/run_watch.h"
#include "platform/files/abovestreams.h"

bool run_is_surveyed(const struct run_command *run)
{
	return settings_bool(run->settings, SET_FUNCTIONS) &&
	       settings_bool(run->settings, SET_FUNCTIONS_SURVEY) &&
	       !settings_bool(run->settings, SET_SAMPLING);
}

pid_t run_looker_fork(void)
{
	pid_t child, looker = -1;
	int told[2];

	if (pipe2(told, O_CLOEXEC) < 0)
		return -1;
	fflush(NULL);
	child = fork();
	if (child == 0) {
		setsid();
		looker = fork();
		if (looker == 0) {
			close(told[0]);
			close(told[1]);
			return 0;
		}
		(void)!write(told[1], &looker, sizeof(looker));
		_exit(0);
	}
	close(told[1]);
	if (child < 0 || read(told[0], &looker, sizeof(looker)) != (ssize_t)sizeof(looker))
		looker = -1;
	close(told[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return looker;
}

void run_looker_allow(pid_t looker)
{
	prctl(PR_SET_PTRACER, looker, 0, 0, 0);
}

/* It has nothing of the program's but a descriptor of its process. */
static void __attribute__((noreturn)) survey(const struct run_command *run, int from)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC), process;
	pid_t program;

	for (int i = 0; null >= 0 && i <= STDERR_FILENO; i++)
		dup2(null, i);
	if (read(from, &program, sizeof(program)) != (ssize_t)sizeof(program))
		_exit(0);
	process = (int)syscall(SYS_pidfd_open, program, 0);
	if (process >= 0)
		heartbeat_wait(run->folder.directory, process, program);
	_exit(0);
}

void run_surveyor_begin(const struct run_command *run, struct run_surveyor *surveyor)
{
	int ends[2];

	*surveyor = (struct run_surveyor){.to = -1};
	if (!run->folder.is_own || !run_is_surveyed(run) || run_adopts_orphans() ||
	    pipe2(ends, O_CLOEXEC) < 0)
		return;
	ends[0] = abovestreams(ends[0]);
	ends[1] = abovestreams(ends[1]);
	surveyor->id = run_looker_fork();
	if (surveyor->id == 0) {
		close(ends[1]);
		survey(run, ends[0]);
	}
	close(ends[0]);
	surveyor->to = ends[1];
}

void run_surveyor_tell(struct run_surveyor *surveyor, pid_t program)
{
	if (surveyor->to < 0)
		return;
	if (program > 0)
		(void)!write(surveyor->to, &program, sizeof(program));
	close(surveyor->to);
	surveyor->to = -1;
}
