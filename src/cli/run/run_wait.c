/* kymo run --fork: wait for the program.
 *
 * All relevant signals are blocked here and taken one at a time with sigtimedwait(), so that none
 * interrupts anything; the program gets the original mask.  Signals of the terminal reach the
 * program directly, since it is in the same process group: these have the code SI_KERNEL, and are
 * not forwarded.  When the program stops this process stops, too, as its shell expects of a job. */
#include "cli/run/run_wait.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/heartbeat/pulses.h"
#include "cli/results/cmd_finish.h"
#include "cli/run/run_command.h"
#include "cli/run/run_observer.h"
#include "cli/run/run_folder.h"
#include "cli/run/run_start.h"

static const int passed_on[] = {SIGINT,	 SIGTERM, SIGHUP,  SIGQUIT,
				SIGUSR1, SIGUSR2, SIGTSTP, SIGCONT};

static void wait_collect(sigset_t *signals)
{
	sigemptyset(signals);
	sigaddset(signals, SIGCHLD);
	for (size_t i = 0; i < sizeof(passed_on) / sizeof(*passed_on); i++)
		sigaddset(signals, passed_on[i]);
}

/* In the child; writes errno to the parent when exec() fails. */
static void wait_exec_program(const struct run_command *run, pid_t surveyor, int report,
			      const sigset_t *mask)
{
	int error;

	if (surveyor > 0)
		run_observer_allow(surveyor);
	sigprocmask(SIG_SETMASK, mask, NULL);
	error = run_exec(run);
	if (write(report, &error, sizeof(error)) < 0)
		_exit(RUN_NOT_EXECUTABLE);
	_exit(RUN_NOT_EXECUTABLE);
}

/* The program's process; -1 with the errno value when it was not started. */
static pid_t wait_start(const struct run_command *run, const sigset_t *mask, int *error)
{
	struct run_surveyor surveyor;
	int report[2];
	pid_t child;

	run_surveyor_begin(run, &surveyor); /* before pipe2(): inherits no end of the pipe */
	if (pipe2(report, O_CLOEXEC) < 0) {
		*error = errno;
		run_surveyor_start(&surveyor, 0);
		return -1;
	}
	fflush(NULL);
	child = fork();
	if (child == 0) {
		close(report[0]);
		wait_exec_program(run, surveyor.id, report[1], mask);
	}
	*error = child < 0 ? errno : 0;
	close(report[1]);
	/* Closed by a successful exec(): then there is nothing to read. */
	while (child > 0 && read(report[0], error, sizeof(*error)) < 0 && errno == EINTR)
		continue;
	close(report[0]);
	if (child > 0 && *error != 0) {
		waitpid(child, NULL, 0);
		child = -1;
	}
	run_surveyor_start(&surveyor, child);
	return child;
}

static bool is_from_terminal(const siginfo_t *signal)
{
	return signal->si_code == SI_KERNEL;
}

/* True when the program has ended. */
static bool take_child(pid_t child, int *status)
{
	pid_t found = waitpid(child, status, WNOHANG | WUNTRACED);

	if (found != child)
		return found < 0 && errno == ECHILD;
	if (!WIFSTOPPED(*status))
		return true;
	kill(getpid(), SIGSTOP);
	kill(child, SIGCONT);
	return false;
}

static void wait_keep_times(struct pulses *pulses, const struct run_folder *folder)
{
	struct pollfd *polled;

	if (!folder->is_own)
		return;
	pulses_find(pulses, folder->directory);
	polled = pulses_poll(pulses, -1);
	if (polled && poll(polled, pulses->count, 0) > 0)
		pulses_end(pulses, polled);
	free(polled);
	pulses_beat(pulses);
}

/* A signal is forwarded at once.  The time is written to the recordings after each, at least once a
 * second, and before a process that has ended is reaped. */
static int supervise(const struct run_command *run, pid_t child, const sigset_t *signals)
{
	static const struct timespec beat = {1, 0};
	struct pulses pulses = {0};
	siginfo_t signal;
	int status = 0;

	for (;;) {
		bool is_there = sigtimedwait(signals, &signal, &beat) > 0;

		if (is_there && signal.si_signo != SIGCHLD && !is_from_terminal(&signal) &&
		    signal.si_pid != child)
			kill(child, signal.si_signo);
		wait_keep_times(&pulses, &run->folder);
		if (is_there && signal.si_signo == SIGCHLD && take_child(child, &status)) {
			pulses_release(&pulses);
			return status;
		}
	}
}

/* End by the same signal.  If there is a core file, the program has written it. */
static int end_as(int status)
{
	sigset_t all;

	if (WIFEXITED(status))
		return WEXITSTATUS(status);
	fflush(NULL);
	prctl(PR_SET_DUMPABLE, 0);
	signal(WTERMSIG(status), SIG_DFL);
	sigfillset(&all);
	sigprocmask(SIG_UNBLOCK, &all, NULL);
	raise(WTERMSIG(status));
	return 128 + WTERMSIG(status);
}

static void wait_finish(const struct run_command *run)
{
	char process[32];
	char *arguments[] = {(char *)"finish", process, (char *)run->folder.directory, NULL};

	if (!run->folder.is_own || !settings_bool(run->settings, SET_FINISH))
		return;
	snprintf(process, sizeof(process), "--of=%d", (int)getpid());
	if (run_folder_is_empty(run->folder.directory))
		run_folder_undo(&run->folder);
	else
		command_finish_run(3, arguments);
}

int run_wait(const struct run_command *run, int *error)
{
	sigset_t signals, mask;
	pid_t child;
	int status;

	wait_collect(&signals);
	sigprocmask(SIG_BLOCK, &signals, &mask);
	child = wait_start(run, &mask, error);
	if (child < 0) {
		sigprocmask(SIG_SETMASK, &mask, NULL);
		return -1;
	}
	status = supervise(run, child, &signals);
	wait_finish(run);
	return end_as(status);
}
