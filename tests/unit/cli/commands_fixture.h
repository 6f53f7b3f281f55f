/* Stand-ins for what main.c has, for tests of files that commands are in: nothing that is tested
 * calls them. */
#ifndef KYMO_COMMANDS_FIXTURE_H
#define KYMO_COMMANDS_FIXTURE_H

#include <stdlib.h>

#include "cli/commands.h"

int command_run(void *given, command_parse_fn parse, command_act_fn act, int argc, char **argv)
{
	(void)given;
	(void)parse;
	(void)act;
	(void)argc;
	(void)argv;
	abort();
}

int command_fail(enum kymo_status status, const struct problem *problem)
{
	(void)status;
	(void)problem;
	abort();
}

int command_end_options(enum options_result result, const struct problem *problem)
{
	(void)result;
	(void)problem;
	abort();
}

int command_finish_output(void)
{
	abort();
}

int command_warn_holes(int result)
{
	(void)result;
	abort();
}

void command_restore_signals(void)
{
	abort();
}

#endif
