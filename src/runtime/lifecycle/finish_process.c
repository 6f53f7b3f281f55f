/* The end of a run: `kymo finish` writes the outputs in a separate process, so that no fault of
 * the reader can harm the program. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/signalmask.h"
#include "config/settings.h"
#include "platform/files/nocancel_io.h"
#include "platform/files/toolpath.h"
#include "platform/rawcall.h"
#include "platform/valgrind.h"
#include "runtime/lifecycle/finish_process.h"
#include "runtime/lifecycle/session.h"
#include "runtime/runtime.h"
#include "runtime/log.h"
#include "runtime/standarderror.h"

bool finish_find_command(char *path, size_t size)
{
	const char *chosen = settings_text(session.settings, SET_TOOL_PATH);
	Dl_info info;

	if (chosen && chosen[0]) {
		snprintf(path, size, "%s", chosen);
		return access(path, X_OK) == 0;
	}
	return dladdr((const void *)kymo_runtime_abi, &info) && info.dli_fname &&
	       toolpath_find(info.dli_fname, path, size);
}

/* The tool must neither be recorded itself, nor load what was preloaded into the program. */
static bool finish_is_for_program_only(const char *entry)
{
	return !strncmp(entry, "LD_PRELOAD=", 11) || !strncmp(entry, "KYMO_RUN_DIR=", 13) ||
	       !strncmp(entry, "LD_AUDIT=", 9);
}

#define STACK_BYTES (128u << 10)

void finish_environment(char **copy)
{
	size_t count = 0;

	for (char **entry = environ; entry && *entry && count < FINISH_ENVIRONMENT_MAX - 1; entry++)
		if (!finish_is_for_program_only(*entry))
			copy[count++] = *entry;
	copy[count] = NULL;
}

struct tool {
	const char *path;
	char *const *arguments;
	char *const *environment;
	int result; /* errno of starting it, 0 = started */
};

static int finish_start_process(const struct tool *tool, pid_t *pid)
{
	posix_spawnattr_t attributes;
	sigset_t none;
	int result;

	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, &none);
	result =
		posix_spawn(pid, tool->path, NULL, &attributes, tool->arguments, tool->environment);
	posix_spawnattr_destroy(&attributes);
	return result;
}

/* The tool's files must not get the numbers of its standard streams: many programs have closed
 * theirs by now, as all do that check at the end that everything was written.  And its messages
 * must not go to a file that replaced the program's stderr. */
static void finish_prepare_streams(void)
{
	int fd = plain_open("/dev/null", O_RDWR, 0);

	while (fd >= 0 && fd <= STDERR_FILENO)
		fd = plain_open("/dev/null", O_RDWR, 0);
	if (fd >= 0)
		plain_close(fd);
	fcntl(STDOUT_FILENO, F_SETFD, 0); /* programs may have set FD_CLOEXEC on theirs */
	standarderror_restore();
}

/* In Valgrind this is a fork, and exit() would write the buffers of the program's streams again. */
static void end_silently(void)
{
	if (valgrind_is_here())
		kill(getpid(), SIGKILL);
}

/* A process that shares this one's memory but not its descriptors, with all signals blocked; the
 * tool is its child. */
static int start_and_wait(void *argument)
{
	struct tool *tool = argument;
	pid_t pid;

	finish_prepare_streams();
	signal(SIGCHLD, SIG_DFL); /* its own table of handlers */
	tool->result = finish_start_process(tool, &pid);
	while (tool->result == 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	end_silently();
	return 0;
}

static bool finish_is_pending(int number)
{
	uint64_t pending = 0;

	raw_call(SYS_rt_sigpending, (long)&pending, sizeof(pending), 0);
	return pending & signalmask_bit(number);
}

static void finish_take_signal(int number)
{
	const uint64_t set = signalmask_bit(number);
	const struct timespec now = {0, 0};

	raw_call6(SYS_rt_sigtimedwait, (long)&set, 0, (long)&now, sizeof(set), 0, 0);
}

/* Exec the tool in the process that sends no signal at its end. */
static int finish_outside_become(void *argument)
{
	struct tool *tool = argument;
	const uint64_t none = 0;

	finish_prepare_streams();
	signal(SIGCHLD, SIG_DFL);
	raw_call6(SYS_rt_sigprocmask, SIG_SETMASK, (long)&none, 0, sizeof(none), 0, 0);
	execve(tool->path, tool->arguments, tool->environment);
	tool->result = errno;
	return 0;
}

static pid_t make_process(int (*what)(void *), int flags, char *top, struct tool *tool)
{
	pid_t pid = clone(what, top, flags, tool);

	while (pid > 0 && waitpid(pid, NULL, __WALL) < 0 && errno == EINTR)
		continue;
	return pid;
}

/* Emulators support neither a process that ends without a signal, nor one that shares memory:
 * the signal of a fork is blocked, and discarded before the program can receive it. */
static pid_t make_emulated(char *top, struct tool *tool)
{
	bool was_pending = finish_is_pending(SIGCHLD);
	pid_t pid = make_process(finish_outside_become, SIGCHLD, top, tool);

	if (pid > 0 && !was_pending)
		finish_take_signal(SIGCHLD);
	return pid;
}

/* The program must not be notified of the end of a child of Kymo, nor be able to wait for it.  A
 * child that ends without a signal is hidden in both ways, but exec() restores its usual one: so
 * such a child is put between the program and the tool. */
static int run_tool(const char *path)
{
	static char *environment[FINISH_ENVIRONMENT_MAX]; /* used once, by the closing thread */
	char ended[32];
	char *const arguments[] = {(char *)path, (char *)"finish", ended, session.directory, NULL};
	char *stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			   MAP_SHARED | MAP_ANONYMOUS | MAP_STACK, -1, 0);
	struct tool *tool = (struct tool *)stack; /* at its far end: also valid if this is a fork */
	sigset_t all, before;
	pid_t pid;
	int result;

	if (stack == MAP_FAILED)
		return errno;
	snprintf(ended, sizeof(ended), "--of=%d", (int)session.pid);
	*tool = (struct tool){path, arguments, environment, 0};
	finish_environment(environment);
	signalmask_fill(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = make_process(start_and_wait, CLONE_VM | CLONE_VFORK, stack + STACK_BYTES, tool);
	if (pid < 0 && errno == EINVAL)
		pid = make_emulated(stack + STACK_BYTES, tool);
	if (pid < 0)
		tool->result = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	result = tool->result;
	munmap(stack, STACK_BYTES);
	return result;
}

void finish_run_process(void)
{
	char path[PATH_MAX];
	int result;

	if (!settings_bool(session.settings, SET_FINISH))
		return;
	if (!finish_find_command(path, sizeof(path))) {
		kymo_log(KYMO_LOG_NOTE,
			 "the recording is in '%s'; no kymo command was found to report it",
			 session.directory);
		return;
	}
	result = run_tool(path);
	if (result != 0)
		kymo_log(KYMO_LOG_WARNING,
			 "cannot run '%s': %s; 'kymo report %s' shows the recording", path,
			 strerror(result), session.directory);
}
