/* The commands of kymo.  Each gets its own name as argv[0] and returns the exit status:
 * 0, 1 when it failed, 2 when it was used wrongly.
 *
 * A new command is a file cmd_<name>.c and a row of commands.def. */
#ifndef KYMO_COMMANDS_H
#define KYMO_COMMANDS_H

#include "base/status.h"
#include "cli/options/options.h"

#define COMMAND(name, run, summary) int run(int argc, char **argv);
#include "cli/commands.def"
#undef COMMAND

/* A command whose options fill a struct of its own, which both steps are given: parse them, then
 * act, and say what goes wrong.  The exit status. */
typedef enum options_result (*command_parse_fn)(void *given, int argc, char **argv,
						struct problem *problem);
typedef enum kymo_status (*command_act_fn)(void *given, struct problem *problem);
int command_run(void *given, command_parse_fn parse, command_act_fn act, int argc, char **argv);

/* Say "kymo: <line>" on standard error and return the exit status that goes with status. */
int command_fail(enum kymo_status status, const struct problem *problem);

/* End a command whose options were not parsed: its help was shown, or they were wrong. */
int command_end_options(enum options_result result, const struct problem *problem);

/* End a command that wrote to standard output: a reader that went away is no failure. */
int command_finish_output(void);

/* Say when files were cut while they were read (platform/files/filehole.h): what the command has
 * told is of the rest.  The exit status of a command that would end with result. */
int command_warn_holes(int result);

/* Give the signals that commands ignore their former handling, before becoming a program
 * that is to find them so. */
void command_restore_signals(void);

#endif
