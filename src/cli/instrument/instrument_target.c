/* Finding files and choosing among their functions.  Neither the files nor the loader that they
 * name are run. */
#include "cli/instrument/instrument_target.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/array.h"
#include "cli/instrument/needed/needed_libraries.h"

/* Follow "#!" from a script to its interpreter; false: there is none. */
static bool step_to_interpreter(char path[PATH_MAX])
{
	char line[EXEC_NAME_MAX + 1], *name;
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
	int error = exec_search(name, getenv("PATH"), target->path, sizeof(target->path));

	if (error != 0 &&
	    (access(name, R_OK) < 0 || (size_t)snprintf(target->path, sizeof(target->path), "%s",
							name) >= sizeof(target->path)))
		return false;
	exec_inspect(target->path, &target->facts);
	if (target->facts.obstacle == EXEC_MISSING)
		return false;
	snprintf(target->elf, sizeof(target->elf), "%s", target->path);
	for (unsigned depth = 0; depth < target->facts.script_depth; depth++)
		if (!step_to_interpreter(target->elf))
			break;
	return true;
}

static enum kymo_status target_add(struct instrument_target *target, const char *path,
				   bool is_program, const struct function_rules *rules,
				   struct problem *problem)
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

static enum kymo_status add_libraries(struct instrument_target *target,
				      const struct function_rules *rules, struct problem *problem)
{
	struct exec_facts facts;
	char **paths;
	size_t count;
	enum kymo_status status;

	exec_inspect(target->elf, &facts);
	if (facts.obstacle != EXEC_NONE || !facts.name[0])
		return KYMO_OK; /* a shared library, or one without a loader */
	status = needed_libraries(target->elf, &paths, &count);
	if (status < 0)
		return problem_set(problem, status, "out of memory");
	for (size_t i = 0; status == KYMO_OK && i < count; i++)
		if (function_rules_judge_file(rules, paths[i], false) == FUNCTION_TAKEN)
			status = target_add(target, paths[i], false, rules, problem);
	lines_free(paths, count);
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
	status = target_add(target, target->elf, true, rules, problem);
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
