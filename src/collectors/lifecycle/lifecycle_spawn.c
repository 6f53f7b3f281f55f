/* posix_spawn: as exec, but this process continues; and the shells of the C library. */
#include "collectors/lifecycle/lifecycle_spawn.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "collectors/lifecycle/lifecycle_environment.h"
#include "collectors/lifecycle/lifecycle_target.h"
#include "collectors/wrap.h"
#include "runtime/lifecycle/lifecycle.h"

typedef int (*spawn_fn)(pid_t *, const char *, const posix_spawn_file_actions_t *,
			const posix_spawnattr_t *, char *const[], char *const[]);
typedef int (*shell_fn)(const char *);
typedef FILE *(*shell_pipe_fn)(const char *, const char *);

WRAP_SLOT(posix_spawn);
WRAP_SLOT(posix_spawnp);
WRAP_SLOT(system);
WRAP_SLOT(popen);

void lifecycle_spawn_resolve(void)
{
	(void)WRAP_REAL(posix_spawn, spawn_fn);
	(void)WRAP_REAL(posix_spawnp, spawn_fn);
	(void)WRAP_REAL(system, shell_fn);
	(void)WRAP_REAL(popen, shell_pipe_fn);
}

static int spawn_start(spawn_fn real, const struct lifecycle_spawn *spawn, const char *found)
{
	char *const *environment = spawn->environment;
	size_t count = lifecycle_environment_count(environment);
	struct lifecycle_passing passing;
	struct exec_facts facts;
	int result;

	if (count == 0)
		return real(spawn->process, spawn->file, spawn->actions, spawn->attributes,
			    spawn->argv, environment);
	memset(&facts, 0, sizeof(facts));
	if (!kymo_runtime_is_restricted()) {
		exec_inspect(found, &facts);
		lifecycle_target_consider(&facts);
	}
	environment = lifecycle_environment_pass(&passing, __builtin_alloca(count * sizeof(char *)),
						 environment, lifecycle_target_can_join(&facts));
	result = real(spawn->process, spawn->file, spawn->actions, spawn->attributes, spawn->argv,
		      environment);
	if (result == 0 && facts.obstacle >= EXEC_FOREIGN)
		lifecycle_target_note(found, &facts);
	lifecycle_target_flush();
	return result;
}

int lifecycle_spawn(const struct lifecycle_spawn *spawn)
{
	return spawn_start(WRAP_REAL(posix_spawn, spawn_fn), spawn, spawn->file);
}

int lifecycle_spawn_found(const struct lifecycle_spawn *spawn)
{
	char found[LIFECYCLE_PATH_MAX];

	if (kymo_runtime_is_restricted() ||
	    exec_search(spawn->file, getenv("PATH"), found, sizeof(found)) != 0)
		return WRAP_REAL(posix_spawnp, spawn_fn)(spawn->process, spawn->file,
							 spawn->actions, spawn->attributes,
							 spawn->argv, spawn->environment);
	return spawn_start(WRAP_REAL(posix_spawnp, spawn_fn), spawn, found);
}

/* These use the environment as it is, and their posix_spawn is not wrapped. */
int lifecycle_shell(const char *command)
{
	if (!kymo_runtime_is_restricted())
		lifecycle_environment_check();
	return WRAP_REAL(system, shell_fn)(command);
}

FILE *lifecycle_shell_pipe(const char *command, const char *mode)
{
	if (!kymo_runtime_is_restricted())
		lifecycle_environment_check();
	return WRAP_REAL(popen, shell_pipe_fn)(command, mode);
}
