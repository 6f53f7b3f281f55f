/* The end of a run: `kymo finish` writes the outputs in a process of its own, so that
 * nothing of the reader can harm the program. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/pages.h"
#include "config/settings.h"
#include "runtime/runtime.h"
#include "runtime/say.h"
#include "runtime/session.h"

/* Places of the tool relative to the folder of libkymo.so: build and installed trees,
 * then the Python package. */
static const char *const tool_places[] = {"../bin/kymo", "bin/kymo", "../../bin/kymo",
					  "../../../bin/kymo"};

static bool find_tool(char *path, size_t size)
{
	const char *chosen = settings_text(session.settings, SET_TOOL_PATH);
	char folder[PATH_MAX], *slash;
	Dl_info info;

	if (chosen && chosen[0]) {
		snprintf(path, size, "%s", chosen);
		return access(path, X_OK) == 0;
	}
	if (!dladdr((const void *)kymo_runtime_abi, &info) || !info.dli_fname)
		return false;
	snprintf(folder, sizeof(folder), "%s", info.dli_fname);
	slash = strrchr(folder, '/');
	if (!slash)
		return false;
	*slash = '\0';
	for (size_t i = 0; i < sizeof(tool_places) / sizeof(*tool_places); i++) {
		if ((size_t)snprintf(path, size, "%s/%s", folder, tool_places[i]) < size &&
		    access(path, X_OK) == 0)
			return true;
	}
	return false;
}

/* The tool is not to be measured itself, nor to load what was preloaded into the program. */
static bool is_for_program_only(const char *entry)
{
	return !strncmp(entry, "LD_PRELOAD=", 11) || !strncmp(entry, "KYMO_RUN_DIR=", 13) ||
	       !strncmp(entry, "LD_AUDIT=", 9);
}

#define ENVIRONMENT_MAX 4096
#define STACK_BYTES	(128u << 10)

static void copy_environment(char **copy)
{
	size_t count = 0;

	for (char **entry = environ; *entry && count < ENVIRONMENT_MAX - 1; entry++)
		if (!is_for_program_only(*entry))
			copy[count++] = *entry;
	copy[count] = NULL;
}

struct tool { /* what the new process needs to become it */
	const char *path;
	char *const *arguments;
	char *const *environment;
	int result; /* errno of exec */
};

/* Runs in this process's memory, on a stack of its own, with all signals blocked.  Handlers
 * are not the tool's: none may run between here and exec. */
static int become(void *argument)
{
	struct tool *tool = argument;
	struct sigaction action;
	sigset_t none;

	for (int number = 1; number < NSIG; number++)
		if (sigaction(number, NULL, &action) == 0 && action.sa_handler != SIG_IGN &&
		    action.sa_handler != SIG_DFL)
			signal(number, SIG_DFL);
	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	execve(tool->path, tool->arguments, tool->environment);
	tool->result = errno;
	return 127;
}

/* The program must not be told that a child of its has ended, nor be able to wait for it:
 * the child sends no signal. */
static int run_tool(const char *path)
{
	static char *environment[ENVIRONMENT_MAX]; /* used once, by the closing thread */
	char *const arguments[] = {(char *)path, (char *)"finish", session.directory, NULL};
	struct tool tool = {path, arguments, environment, 0};
	char *stack = pages_new(STACK_BYTES);
	sigset_t all, before;
	pid_t pid;

	if (!stack)
		return ENOMEM;
	copy_environment(environment);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	pid = clone(become, stack + STACK_BYTES, CLONE_VM | CLONE_VFORK, &tool);
	if (pid < 0)
		tool.result = errno;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	while (pid > 0 && waitpid(pid, NULL, __WCLONE) < 0 && errno == EINTR)
		continue;
	pages_free(stack, STACK_BYTES);
	return tool.result;
}

void finishing_run(void)
{
	char path[PATH_MAX];
	int result;

	if (!settings_bool(session.settings, SET_FINISH))
		return;
	if (!find_tool(path, sizeof(path))) {
		say("the recording is in '%s'; no kymo command was found to report it",
		    session.directory);
		return;
	}
	result = run_tool(path);
	if (result != 0)
		say("cannot run '%s': %s; 'kymo report %s' shows the recording", path,
		    strerror(result), session.directory);
}
