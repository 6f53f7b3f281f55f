/* kymo sample: kymo run that samples, and records nothing else unless it is asked to. */
#include "cli/commands.h"
#include "cli/run_command.h"

int cmd_sample(int argc, char **argv)
{
	static const struct run_flavour flavour = {
		"kymo sample", "sample",
		"Runs a program and samples the call stacks of all its threads, native and Python "
		"frames together; the program needs no preparation." RUN_OPTIONS_END,
		"SAMPLING=ON ?PROFILE=OFF ?TRACE_GIL=ON"};

	return run_command(&flavour, argc, argv);
}
