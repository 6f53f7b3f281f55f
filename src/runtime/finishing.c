/* The end of a run: `kymo finish` writes the outputs in a process of its own, so that
 * nothing of the reader can harm the program. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

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

static void copy_environment(char **copy)
{
	size_t count = 0;

	for (char **entry = environ; *entry && count < ENVIRONMENT_MAX - 1; entry++)
		if (!is_for_program_only(*entry))
			copy[count++] = *entry;
	copy[count] = NULL;
}

static int run_tool(const char *path)
{
	static char *environment[ENVIRONMENT_MAX]; /* used once, by the closing thread */
	char *arguments[] = {(char *)path, (char *)"finish", session.directory, NULL};
	posix_spawnattr_t attributes;
	sigset_t none;
	pid_t pid;
	int result, status = 0;

	copy_environment(environment);
	sigemptyset(&none);
	posix_spawnattr_init(&attributes);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
	posix_spawnattr_setsigmask(&attributes, &none);
	result = posix_spawn(&pid, path, NULL, &attributes, arguments, environment);
	posix_spawnattr_destroy(&attributes);
	if (result != 0)
		return result;
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		continue;
	return 0;
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
