/* The options of every command: one parser over the rows of its table.
 *
 * Forms: -x, -xVALUE, -x VALUE, --name, --name VALUE, --name=VALUE; letters of options without
 * value may be joined; "--" ends them.  Commands that read accept options between their arguments;
 * those that record a program accept them before it, and every setting is one. */
#ifndef KYMO_OPTIONS_H
#define KYMO_OPTIONS_H

#include "base/status.h"
#include "cli/options/option_row.h"

struct vocabulary_dialect;
struct vocabulary_request;

enum options_result { OPTIONS_PARSED, OPTIONS_HELPED, OPTIONS_FAILED };

/* Parse argv[1..]; arguments that are not options move to the front, argv[0..] with *argc left.
 * --help prints the help on standard output: HELPED.  FAILED has the problem. */
enum options_result options_parse(const struct option_table *table, int *argc, char **argv,
				  struct problem *problem);

/* Parse the options of the vocabulary in argv[1..] up to "--" or the first word that belongs to
 * none.  command, for problems: "kymo run".  dialect: NULL = there is none.  The caller releases
 * the request in any case. */
enum kymo_status options_parse_program(const char *command,
				       const struct vocabulary_dialect *dialect, int argc,
				       char **argv, struct vocabulary_request *request,
				       struct problem *problem);

#endif
