/* exec: the recording ends when another program replaces this one, and continues if that fails.
 * Also called between vfork() and exec(), where nothing may be allocated and the recording is
 * the parent's. */
#include "collectors/lifecycle/lifecycle_exec.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "collectors/lifecycle/lifecycle_environment.h"
#include "collectors/lifecycle/lifecycle_target.h"
#include "collectors/wrap.h"
#include "runtime/lifecycle/lifecycle.h"

typedef int (*execute_fn)(const char *, char *const[], char *const[]);
typedef int (*execute_descriptor_fn)(int, char *const[], char *const[]);
typedef int (*execute_at_fn)(int, const char *, char *const[], char *const[], int);

WRAP_SLOT(execve);
WRAP_SLOT(execvpe);
WRAP_SLOT(fexecve);
WRAP_SLOT(execveat);

void lifecycle_exec_resolve(void)
{
	(void)WRAP_REAL(execve, execute_fn);
	(void)WRAP_REAL(execvpe, execute_fn);
	(void)WRAP_REAL(fexecve, execute_descriptor_fn);
	(void)WRAP_REAL(execveat, execute_at_fn);
}

/* One call of the family. */
struct execution {
	enum { BY_PATH, BY_SEARCH, BY_DESCRIPTOR, BY_PLACE } kind;
	const char *path;
	int fd; /* the program, or the directory of BY_PLACE */
	int flags;
	char *const *argv;
};

static int exec_run(const struct execution *execution, char *const environment[])
{
	switch (execution->kind) {
	case BY_PATH:
		return WRAP_REAL(execve, execute_fn)(execution->path, execution->argv, environment);
	case BY_SEARCH:
		return WRAP_REAL(execvpe, execute_fn)(execution->path, execution->argv,
						      environment);
	case BY_DESCRIPTOR:
		return WRAP_REAL(fexecve, execute_descriptor_fn)(execution->fd, execution->argv,
								 environment);
	case BY_PLACE:
		break;
	}
	return WRAP_REAL(execveat, execute_at_fn)(execution->fd, execution->path, execution->argv,
						  environment, execution->flags);
}

static void inspect_place(const struct execution *execution, struct exec_facts *facts)
{
	bool is_itself = (execution->flags & AT_EMPTY_PATH) && !*execution->path;
	int fd = is_itself ? execution->fd
			   : openat(execution->fd, execution->path, O_RDONLY | O_CLOEXEC);

	exec_inspect_descriptor(fd, facts);
	if (fd >= 0 && !is_itself)
		close(fd);
}

/* Inspect the program; its path into found. */
static void inspect(const struct execution *execution, struct exec_facts *facts, char *found,
		    size_t size)
{
	KEEP_ERRNO();

	memset(facts, 0, sizeof(*facts));
	found[0] = '\0';
	if (kymo_runtime_is_restricted()) /* files may not be opened */
		return;
	switch (execution->kind) {
	case BY_SEARCH:
		if (exec_search(execution->path, getenv("PATH"), found, size) == 0)
			exec_inspect(found, facts);
		break;
	case BY_PATH:
		if (strlen(execution->path) < size)
			strcpy(found, execution->path);
		exec_inspect(execution->path, facts);
		break;
	case BY_DESCRIPTOR:
		exec_inspect_descriptor(execution->fd, facts);
		break;
	case BY_PLACE:
		inspect_place(execution, facts);
		break;
	}
	if (!found[0])
		strcpy(found, execution->path ? "an open file" : "?");
	lifecycle_target_consider(facts);
}

static bool is_left_out(const struct exec_facts *facts)
{
	return facts->obstacle >= EXEC_FOREIGN;
}

static int exec_execute(const struct execution *execution, char *const environment[])
{
	struct lifecycle_passing passing;
	struct exec_facts facts;
	size_t count = lifecycle_environment_count(environment);
	char found[LIFECYCLE_PATH_MAX];
	bool has_begun;
	int result;

	/* Without a path the kernel reports the error. */
	if (count == 0 || (!execution->path && execution->kind != BY_DESCRIPTOR))
		return exec_run(execution, environment);
	inspect(execution, &facts, found, sizeof(found));
	environment = lifecycle_environment_pass(&passing, __builtin_alloca(count * sizeof(char *)),
						 environment, lifecycle_target_can_join(&facts));
	if (is_left_out(&facts))
		lifecycle_target_note(found, &facts);
	lifecycle_target_flush();
	has_begun = kymo_exec_begin();
	result = exec_run(execution, environment);
	if (has_begun)
		kymo_exec_failed();
	return result;
}

int lifecycle_execute(const char *path, char *const argv[], char *const environment[])
{
	return exec_execute(&(struct execution){BY_PATH, path, -1, 0, argv}, environment);
}

int lifecycle_execute_found(const char *file, char *const argv[], char *const environment[])
{
	return exec_execute(&(struct execution){BY_SEARCH, file, -1, 0, argv}, environment);
}

int lifecycle_execute_descriptor(int fd, char *const argv[], char *const environment[])
{
	return exec_execute(&(struct execution){BY_DESCRIPTOR, NULL, fd, 0, argv}, environment);
}

int lifecycle_execute_at(int folder, const char *path, char *const argv[],
			 char *const environment[], int flags)
{
	return exec_execute(&(struct execution){BY_PLACE, path, folder, flags, argv}, environment);
}
