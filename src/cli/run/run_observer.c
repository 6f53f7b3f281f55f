/* Processes that observe the program from outside while it runs.  They are not children of the
 * program, which must have no child that it does not know; and the program's threads are stopped by
 * another process than its parent, which waits for it. */
#include "cli/run/run_observer.h"

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

pid_t run_observer_fork(void)
{
	pid_t child, observer = -1;
	int report[2];

	if (pipe2(report, O_CLOEXEC) < 0)
		return -1;
	fflush(NULL);
	child = fork();
	if (child == 0) {
		setsid();
		observer = fork();
		if (observer == 0) {
			close(report[0]);
			close(report[1]);
			return 0;
		}
		(void)!write(report[1], &observer, sizeof(observer));
		_exit(0);
	}
	close(report[1]);
	if (child < 0 || read(report[0], &observer, sizeof(observer)) != (ssize_t)sizeof(observer))
		observer = -1;
	close(report[0]);
	if (child > 0)
		waitpid(child, NULL, 0);
	return observer;
}

void run_observer_allow(pid_t observer)
{
	prctl(PR_SET_PTRACER, observer, 0, 0, 0);
}

/* Keeps no descriptor of the program's but a pidfd. */
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
	if (!run->folder.is_own || !run_is_surveyed(run) || run_is_subreaper() ||
	    pipe2(ends, O_CLOEXEC) < 0)
		return;
	ends[0] = abovestreams(ends[0]);
	ends[1] = abovestreams(ends[1]);
	surveyor->id = run_observer_fork();
	if (surveyor->id == 0) {
		close(ends[1]);
		survey(run, ends[0]);
	}
	close(ends[0]);
	surveyor->to = ends[1];
}

void run_surveyor_start(struct run_surveyor *surveyor, pid_t program)
{
	if (surveyor->to < 0)
		return;
	if (program > 0)
		(void)!write(surveyor->to, &program, sizeof(program));
	close(surveyor->to);
	surveyor->to = -1;
}
