/* kymo sample: kymo run that samples, and records nothing else unless it is asked to; with -p
 * it is kymo attach. */
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/run_command.h"

/* The process id behind -p, in whichever way it is written; NULL = another command line.
 * *taken_out: how many words that took. */
static const char *pid_of(int argc, char **argv, int *taken_out)
{
	const char *word = argc > 1 ? argv[1] : "";
	bool is_apart = strcmp(word, "-p") == 0 || strcmp(word, "--pid") == 0;

	*taken_out = is_apart ? 2 : 1;
	if (is_apart)
		return argc > 2 ? argv[2] : "";
	if (strncmp(word, "--pid=", 6) == 0)
		return word + 6;
	return strncmp(word, "-p", 2) == 0 && word[2] ? word + 2 : NULL;
}

static int attach(const char *pid, int argc, char **argv, int taken)
{
	char **words = calloc((size_t)argc + 2, sizeof(*words));
	struct problem problem;
	int count = 0, status;

	if (!words) {
		problem_set(&problem, KYMO_MEMORY, "out of memory");
		return command_fail(KYMO_MEMORY, &problem);
	}
	words[count++] = (char *)"attach";
	if (*pid)
		words[count++] = (char *)pid;
	for (int i = 1 + taken; i < argc; i++)
		words[count++] = argv[i];
	status = cmd_attach(count, words);
	free(words);
	return status;
}

int cmd_sample(int argc, char **argv)
{
	static const struct run_flavour flavour = {
		"kymo sample",
		"sample",
		"Runs a program and samples the call stacks of all its threads, native and Python "
		"frames together; the program needs no preparation. 'kymo sample -p PID' watches "
		"a process that runs already; see 'kymo attach --help'." RUN_OPTIONS_END,
		"SAMPLING=ON ?PROFILE=OFF ?TRACE_GIL=ON",
		NULL,
		NULL};
	int taken;
	const char *pid = pid_of(argc, argv, &taken);

	return pid ? attach(pid, argc, argv, taken) : run_command(&flavour, argc, argv);
}
