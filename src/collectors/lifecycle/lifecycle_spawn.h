/* Implementation of the wrappers of posix_spawn and of the shells of the C library.  errno is
 * the wrapped function's.  Context: thread. */
#ifndef KYMO_LIFECYCLE_SPAWN_H
#define KYMO_LIFECYCLE_SPAWN_H

#include <spawn.h>
#include <stdio.h>
#include <sys/types.h>

/* Resolve the real functions now, while that may allocate.  Context: init. */
void lifecycle_spawn_resolve(void);

struct lifecycle_spawn { /* the arguments of posix_spawn() */
	pid_t *process;
	const char *file;
	const posix_spawn_file_actions_t *actions;
	const posix_spawnattr_t *attributes;
	char *const *argv;
	char *const *environment;
};
int lifecycle_spawn(const struct lifecycle_spawn *spawn);
/* As posix_spawnp(). */
int lifecycle_spawn_found(const struct lifecycle_spawn *spawn);
/* As system() and popen(). */
int lifecycle_shell(const char *command);
FILE *lifecycle_shell_pipe(const char *command, const char *mode);

#endif
