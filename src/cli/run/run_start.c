/* Executing the program, and inserting this command into a launcher's command line. */
#include "cli/run/run_start.h"

#include <errno.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/run/run_command.h"

#define SHELL "/bin/sh"

static size_t start_count_of(char **words)
{
	size_t count = 0;

	while (words[count])
		count++;
	return count;
}

/* The shell runs the script, with its path instead of its name. */
static char **shell_words(const struct run_command *run)
{
	size_t count = start_count_of(run->program);
	char **words = calloc(count + 2, sizeof(*words));

	if (!words)
		return NULL;
	words[0] = (char *)SHELL;
	words[1] = (char *)run->path;
	memcpy(words + 2, run->program + 1, (count - 1) * sizeof(*words));
	return words;
}

int run_exec(const struct run_command *run)
{
	char **words = run->is_shell_text ? shell_words(run) : run->program;

	if (!words)
		return ENOMEM;
	fflush(NULL);
	command_restore_signals();
	execv(run->is_shell_text ? SHELL : run->path, words);
	return errno;
}

static enum kymo_status start_find_match(const struct run_command *run, size_t *index,
					 struct problem *problem)
{
	const char *pattern = run->request.actions[ACTION_LAUNCHER];
	regex_t expression;
	char reason[128];
	int result = regcomp(&expression, pattern, REG_EXTENDED | REG_NOSUB);

	if (result != 0) {
		regerror(result, &expression, reason, sizeof(reason));
		return problem_set(problem, KYMO_USAGE,
				   "--launcher takes a regular expression, not '%s': %s", pattern,
				   reason);
	}
	for (*index = 1; run->program[*index]; ++*index)
		if (regexec(&expression, run->program[*index], 0, NULL, 0) == 0)
			break;
	regfree(&expression);
	if (run->program[*index])
		return KYMO_OK;
	return problem_set(problem, KYMO_USAGE, "--launcher: no argument of '%s' matches '%s'",
			   run->program[0], pattern);
}

/* The same options for the process that the launcher starts, which then joins this run: the last
 * occurrence of an option applies. */
enum kymo_status run_launcher_insert(struct run_command *run, char **argv, struct problem *problem)
{
	size_t count = start_count_of(run->program), options = run->request.option_end - 1;
	char **words = calloc(count + options + 6, sizeof(*words)), *self, *directory = NULL;
	size_t index = 0, used = 0;
	enum kymo_status status = start_find_match(run, &index, problem);

	self = realpath("/proc/self/exe", NULL);
	if (status == KYMO_OK &&
	    (!words || !self || asprintf(&directory, "--run-dir=%s", run->folder.directory) < 0))
		status = problem_set(problem, KYMO_MEMORY, "out of memory");
	if (status < 0) {
		free(words);
		free(self);
		return status;
	}
	for (size_t i = 0; i < index; i++)
		words[used++] = run->program[i];
	words[used++] = self;
	words[used++] = (char *)run->flavour->word;
	for (size_t i = 0; i < options; i++)
		words[used++] = argv[1 + i];
	words[used++] = (char *)"--launcher=";
	words[used++] = directory;
	words[used++] = (char *)"--";
	for (size_t i = index; i < count; i++)
		words[used++] = run->program[i];
	run->program = words;
	return KYMO_OK;
}
