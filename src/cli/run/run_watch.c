/* Finishing a run whose program cannot do it: it was killed, or became something that is not
 * recorded.
 *
 * On a terminal this command does it, and stays the program's parent: its output comes before the
 * shell's next prompt.  Otherwise this process becomes the program, and an orphaned process waits
 * for the program's end: it is forked before the program is loaded, and sleeps. */
#include "cli/run/run_watch.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/run/run_command.h"
#include "cli/run/run_observer.h"
#include "platform/files/abovestreams.h"

bool run_is_on_terminal(const struct run_command *run)
{
	return settings_bool(run->settings, SET_FINISH) &&
	       settings_bool(run->settings, SET_SUMMARY) &&
	       !settings_bool(run->settings, SET_QUIET) && isatty(STDERR_FILENO) &&
	       tcgetpgrp(STDERR_FILENO) == getpgrp();
}

/* Orphans are reparented to this process: the program would have a child that it does not know. */
bool run_is_subreaper(void)
{
	int adopts = 0;

	return getpid() == 1 || prctl(PR_GET_CHILD_SUBREAPER, &adopts, 0, 0, 0) < 0 || adopts;
}

/* Keeps only stderr of the program's descriptors. */
static void watch_close_files(int program)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, STDIN_FILENO);
		dup2(null, STDOUT_FILENO);
	}
	if (program > STDERR_FILENO + 1)
		syscall(SYS_close_range, STDERR_FILENO + 1, program - 1, 0);
	syscall(SYS_close_range, program + 1, ~0u, 0);
}

static void __attribute__((noreturn)) watch(const struct run_command *run, int program, pid_t pid)
{
	char ended[32], process[32];
	char *arguments[10] = {(char *)"finish", (char *)"--when-ended", ended,
			       (char *)"--unless-finished", process};
	int count = 5;

	watch_close_files(program);
	snprintf(ended, sizeof(ended), "%d", program);
	snprintf(process, sizeof(process), "%d", (int)pid);
	if (run_is_surveyed(run)) {
		arguments[count++] = (char *)"--survey";
		arguments[count++] = process;
	}
	arguments[count++] = (char *)run->folder.directory;
	exit(cmd_finish(count, arguments));
}

void run_watch(const struct run_command *run)
{
	pid_t program = getpid(), observer;
	int descriptor;

	if (!run->folder.is_own || !settings_bool(run->settings, SET_FINISH) || run_is_subreaper())
		return;
	descriptor = abovestreams((int)syscall(SYS_pidfd_open, program, 0));
	if (descriptor < 0)
		return;
	observer = run_observer_fork();
	if (observer == 0)
		watch(run, descriptor, program);
	close(descriptor);
	if (observer > 0 && run_is_surveyed(run))
		run_observer_allow(observer);
}
