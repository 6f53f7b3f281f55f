/* Finding files and choosing among their functions.  Which libraries a program loads is asked of
 * the program's own loader, which runs nothing of them. */
#include "cli/instrument_target.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/array.h"

/* From a script to what "#!" names; false: there is none. */
static bool step_to_interpreter(char path[PATH_MAX])
{
	char line[ELFFILE_NAME_MAX + 1], *name;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	ssize_t length = fd >= 0 ? read(fd, line, sizeof(line) - 1) : -1;

	if (fd >= 0)
		close(fd);
	if (length < 3 || line[0] != '#' || line[1] != '!')
		return false;
	line[length] = '\0';
	name = line + 2 + strspn(line + 2, " \t");
	name[strcspn(name, " \t\n")] = '\0';
	snprintf(path, PATH_MAX, "%s", name);
	return name[0] != '\0';
}

bool instrument_target_find(struct instrument_target *target, const char *name)
{
	int error = elffile_search(name, getenv("PATH"), target->path, sizeof(target->path));

	if (error != 0 &&
	    (access(name, R_OK) < 0 || (size_t)snprintf(target->path, sizeof(target->path), "%s",
							name) >= sizeof(target->path)))
		return false;
	elffile_inspect(target->path, &target->facts);
	if (target->facts.obstacle == ELFFILE_MISSING)
		return false;
	snprintf(target->elf, sizeof(target->elf), "%s", target->path);
	for (unsigned depth = 0; depth < target->facts.script_depth; depth++)
		if (!step_to_interpreter(target->elf))
			break;
	return true;
}

/* ---- libraries ------------------------------------------------------------------------------ */

static enum kymo_status add(struct instrument_target *target, const char *path, bool is_program,
			    const struct function_rules *rules, struct problem *problem)
{
	struct function_choice *choices =
		array_grow(target->choices, &target->capacity, target->count + 1, sizeof(*choices));
	enum kymo_status status;

	if (!choices)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	target->choices = choices;
	status = function_choice_make(path, is_program, rules, target->symbols,
				      &choices[target->count], problem);
	target->count += status == KYMO_OK;
	return status;
}

/* "	libm.so.6 => /lib/libm.so.6 (0x7f...)": the path; NULL = a line without one. */
static char *library_of(char *line)
{
	char *begin = strstr(line, "=> "), *end = strrchr(line, '(');

	begin = begin ? begin + 3 : line + strspn(line, " \t");
	if (*begin != '/' || !end || end <= begin)
		return NULL;
	while (end > begin && end[-1] == ' ')
		end--;
	*end = '\0';
	return begin;
}

/* The loader's answer; NULL with errno. */
static FILE *ask_loader(const char *loader, const char *path, pid_t *child)
{
	char *argv[] = {(char *)loader, (char *)"--list", (char *)path, NULL};
	posix_spawn_file_actions_t actions;
	int pipes[2], error;
	FILE *stream;

	if (pipe2(pipes, O_CLOEXEC) < 0)
		return NULL;
	posix_spawn_file_actions_init(&actions);
	posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
	posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
	error = posix_spawn(child, loader, &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	close(pipes[1]);
	stream = error == 0 ? fdopen(pipes[0], "r") : NULL;
	if (!stream)
		close(pipes[0]);
	errno = error ? error : errno;
	return stream;
}

static enum kymo_status add_libraries(struct instrument_target *target,
				      const struct function_rules *rules, struct problem *problem)
{
	enum kymo_status status = KYMO_OK;
	struct elffile_facts facts;
	char *line = NULL, *path;
	size_t size = 0;
	pid_t child;
	FILE *answer;

	elffile_inspect(target->elf, &facts);
	if (facts.obstacle != ELFFILE_NONE || !facts.name[0])
		return KYMO_OK; /* a library by itself, or one without a loader */
	answer = ask_loader(facts.name, target->elf, &child);
	if (!answer)
		return problem_set(problem, KYMO_ERROR,
				   "cannot ask '%s' for the libraries of '%s': %s", facts.name,
				   target->elf, strerror(errno));
	while (status == KYMO_OK && getline(&line, &size, answer) >= 0) {
		path = library_of(line);
		if (path && function_rules_judge_file(rules, path, false) == FUNCTION_TAKEN)
			status = add(target, path, false, rules, problem);
	}
	free(line);
	fclose(answer);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	return status;
}

enum kymo_status instrument_target_choose(struct instrument_target *target,
					  const struct function_rules *rules, bool has_libraries,
					  struct problem *problem)
{
	enum kymo_status status;

	target->symbols = symbols_new();
	if (!target->symbols)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	status = add(target, target->elf, true, rules, problem);
	if (status == KYMO_OK && has_libraries && function_rules_want_libraries(rules))
		status = add_libraries(target, rules, problem);
	return status;
}

void instrument_target_release(struct instrument_target *target)
{
	for (size_t i = 0; i < target->count; i++)
		function_choice_release(&target->choices[i]);
	free(target->choices);
	symbols_free(target->symbols);
	target->choices = NULL;
	target->symbols = NULL;
	target->count = target->capacity = 0;
}
