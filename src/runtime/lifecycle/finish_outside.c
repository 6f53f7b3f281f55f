/* Outputs of a program that cannot write them itself: by a process outside of it.
 *
 * It is started when the first right is given up, and keeps that right; or when the run begins,
 * for a program that is killed.  It waits for the program's end on a pidfd.  The program cannot
 * notice it: it is not its child, has its own session and descriptors, and shares only stderr
 * with the program. */
#include "runtime/lifecycle/finish_outside.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pages.h"
#include "base/signalmask.h"
#include "config/settings.h"
#include "platform/files/nocancel_io.h"
#include "platform/valgrind.h"
#include "runtime/lifecycle/finish_process.h"
#include "runtime/lifecycle/session.h"
#include "runtime/standarderror.h"
#include "runtime/store/store.h"

#define STACK_BYTES (128u << 10)
#define WATCHED_FD  3 /* pidfd of the program, in the outside process */

struct outside {
	const char *path;
	char *const *arguments;
	char *const *environment;
	pid_t program;
	bool is_started;
};

static void open_null(int as)
{
	int fd = plain_open("/dev/null", O_RDWR, 0);

	if (fd >= 0 && fd != as) {
		dup2(fd, as);
		plain_close(fd);
	}
}

static void outside_prepare_streams(void)
{
	open_null(STDIN_FILENO);
	open_null(STDOUT_FILENO);
	standarderror_restore();
}

static bool prepare_descriptors(pid_t program)
{
	int fd;

	/* First, so that it does not get the number of a closed one; opened on one that is
	 * closed below. */
	outside_prepare_streams();
	fd = (int)syscall(SYS_pidfd_open, program, 0);
	if (fd < 0)
		return false;
	/* Without FD_CLOEXEC. */
	if (fd == WATCHED_FD ? fcntl(fd, F_SETFD, 0) < 0 : dup2(fd, WATCHED_FD) < 0)
		return false;
	return syscall(SYS_close_range, WATCHED_FD + 1, ~0u, 0) >= 0;
}

static bool spawn(const struct outside *outside)
{
	posix_spawnattr_t attributes;
	sigset_t none, all;
	pid_t pid;
	int result;

	sigemptyset(&none);
	signalmask_fill(&all);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF |
						      POSIX_SPAWN_SETSID);
	posix_spawnattr_setsigmask(&attributes, &none);
	posix_spawnattr_setsigdefault(&attributes, &all);
	result = posix_spawn(&pid, outside->path, NULL, &attributes, outside->arguments,
			     outside->environment);
	posix_spawnattr_destroy(&attributes);
	return result == 0;
}

/* A process that shares this one's memory but not its descriptors, with all signals blocked.  It
 * ends at once, so that the process it starts is reparented. */
static int outside_start(void *argument)
{
	struct outside *outside = argument;

	outside->is_started = prepare_descriptors(outside->program) && spawn(outside);
	if (valgrind_is_here()) /* where exit() does more */
		kill(getpid(), SIGKILL);
	return 0;
}

/* The process is still recorded, and a wrapper that passes its variables on to the programs it
 * starts would have this one recorded, too. */
static void leave_unrecorded(char **environment)
{
	static char off[] = "KYMO_ENABLED=OFF";
	const size_t name = sizeof("KYMO_ENABLED=") - 1;
	size_t at = 0;

	while (environment[at] && strncmp(environment[at], off, name) != 0)
		at++;
	if (at + 1 >= FINISH_ENVIRONMENT_MAX)
		return;
	if (!environment[at])
		environment[at + 1] = NULL;
	environment[at] = off;
}

/* process: the option that names the ended process. */
static bool outside_run(const char *path, const char *process)
{
	static char *environment[FINISH_ENVIRONMENT_MAX]; /* used by one thread at a time */
	char *const arguments[] = {(char *)path,      (char *)"finish", (char *)"--when-ended=3",
				   session.directory, (char *)process,	NULL};
	struct outside outside = {path, arguments, environment, session.pid, false};
	char *stack = pages_new(STACK_BYTES);
	sigset_t all, before;
	pid_t pid;

	if (!stack)
		return false;
	finish_environment(environment);
	leave_unrecorded(environment);
	signalmask_fill(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = clone(outside_start, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, &outside);
	while (pid > 0 && waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
		continue;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	pages_free(stack, STACK_BYTES);
	return outside.is_started;
}

/* A reaper of orphans would get a child that it does not know. */
static bool is_orphan_reaper(void)
{
	int adopts = 0;

	return getpid() == 1 || prctl(PR_GET_CHILD_SUBREAPER, &adopts, 0, 0, 0) < 0 || adopts;
}

static bool can_be_outside(char *path, size_t size)
{
	return session.is_finisher && settings_bool(session.settings, SET_FINISH) &&
	       !is_orphan_reaper() && finish_find_command(path, size);
}

void finish_outside_start(void)
{
	char path[PATH_MAX], process[64];

	snprintf(process, sizeof(process), "--of=%d", (int)session.pid);
	if (!can_be_outside(path, sizeof(path)) || !outside_run(path, process))
		return;
	session.is_finisher = false;
	store.header->flags |= KYMO_HEADER_FINISHED;
}

void finish_outside_watch(void)
{
	char path[PATH_MAX], unless[64];

	snprintf(unless, sizeof(unless), "--unless-finished=%d", (int)session.pid);
	if (can_be_outside(path, sizeof(path)))
		outside_run(path, unless);
}
