/* Who sees to the end of a run whose program cannot: it was killed, or became something that is
 * not recorded.
 *
 * On a terminal that is this command, which then stays in front of the program: what is said
 * comes before the shell's next prompt.  Elsewhere this process becomes the program, and a child
 * of it that is nobody's waits for the program's end: it is forked before anything of the program
 * is there, and sleeps. */
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
#include "cli/run/run_looker.h"
#include "platform/files/abovestreams.h"

bool run_is_on_terminal(const struct run_command *run)
{
	return settings_bool(run->settings, SET_FINISH) &&
	       settings_bool(run->settings, SET_SUMMARY) &&
	       !settings_bool(run->settings, SET_QUIET) && isatty(STDERR_FILENO) &&
	       tcgetpgrp(STDERR_FILENO) == getpgrp();
}

/* Whose grandchild comes back to it would have a child that it does not know. */
bool run_adopts_orphans(void)
{
	int adopts = 0;

	return getpid() == 1 || prctl(PR_GET_CHILD_SUBREAPER, &adopts, 0, 0, 0) < 0 || adopts;
}

/* Of the program's descriptors it has stderr alone. */
static void leave_descriptors(int program)
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

	leave_descriptors(program);
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
	pid_t program = getpid(), looker;
	int descriptor;

	if (!run->folder.is_own || !settings_bool(run->settings, SET_FINISH) ||
	    run_adopts_orphans())
		return;
	descriptor = abovestreams((int)syscall(SYS_pidfd_open, program, 0));
	if (descriptor < 0)
		return;
	looker = run_looker_fork();
	if (looker == 0)
		watch(run, descriptor, program);
	close(descriptor);
	if (looker > 0 && run_is_surveyed(run))
		run_looker_allow(looker);
}
