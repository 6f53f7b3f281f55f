/* kymo sample: kymo run that samples, and by default records nothing else; with -p it is kymo
 * attach. */
#include <stdlib.h>
#include <string.h>

#include "cli/attach/attach_options.h"
#include "cli/commands.h"
#include "cli/run/run_command.h"

static bool names_process(const char *word)
{
	return strncmp(word, "-p", 2) == 0 || strcmp(word, "--pid") == 0 ||
	       strncmp(word, "--pid=", 6) == 0;
}

/* Options of kymo attach that include a process; what follows a program's name is the program's. */
static bool is_attach(int argc, char **argv)
{
	for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
		if (names_process(argv[i]))
			return attach_has_options(i, argv);
	}
	return false;
}

static int sample_attach(int argc, char **argv)
{
	char **words = calloc((size_t)argc + 2, sizeof(*words));
	struct problem problem;
	int count = 0, status;

	if (!words) {
		problem_set(&problem, KYMO_MEMORY, "out of memory");
		return command_fail(KYMO_MEMORY, &problem);
	}
	words[count++] = (char *)"attach";
	for (int i = 1; i < argc; i++)
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
		"frames together; the program needs no preparation. 'kymo sample -p PID' samples a "
		"running process; see 'kymo attach --help'." RUN_OPTIONS_END,
		"SAMPLING=ON ?PROFILE=OFF ?TRACE_GIL=ON",
		NULL,
		NULL};

	return is_attach(argc, argv) ? sample_attach(argc, argv)
				     : run_command(&flavour, argc, argv);
}
