/* The commands of kymo.  Each gets its own name as argv[0] and returns the exit status: 0, 1 on
 * failure, 2 on wrong usage.
 *
 * A new command is a file cmd_<name>.c and a row of commands.def. */
#ifndef KYMO_COMMANDS_H
#define KYMO_COMMANDS_H

#include "base/status.h"
#include "cli/options/options.h"

#define COMMAND(name, run, summary) int run(int argc, char **argv);
#include "cli/commands.def"
#undef COMMAND

/* A command whose options are parsed into a struct of its own, which is passed to both steps:
 * parsing, and running.  Prints errors; returns the exit status. */
typedef enum options_result (*command_parse_fn)(void *given, int argc, char **argv,
						struct problem *problem);
typedef enum kymo_status (*command_act_fn)(void *given, struct problem *problem);
int command_run(void *given, command_parse_fn parse, command_act_fn act, int argc, char **argv);

/* Print "kymo: <line>" on standard error and return the exit status for status. */
int command_fail(enum kymo_status status, const struct problem *problem);

/* End a command whose options were not parsed: its help was printed, or they were wrong. */
int command_end_options(enum options_result result, const struct problem *problem);

/* End a command that wrote to standard output: a closed pipe is no failure. */
int command_finish_output(void);

/* Warn if files were truncated while they were read (platform/files/filehole.h), as the output then
 * lacks their rest.  The exit status of a command that would end with result. */
int command_warn_holes(int result);

/* Restore the dispositions of the signals that commands ignore, before exec() of a program that
 * must inherit them. */
void command_restore_signals(void);

#endif
