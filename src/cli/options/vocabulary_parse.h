/* Reads a command line up to where the program begins. */
#ifndef KYMO_VOCABULARY_PARSE_H
#define KYMO_VOCABULARY_PARSE_H

#include "base/status.h"

struct vocabulary_dialect;
struct vocabulary_request;

/* Read the options in argv[1..] up to "--" or the first word that belongs to none.
 * command, for problems: "kymo run".  dialect: NULL = there is none.  The caller releases the
 * request in any case. */
enum kymo_status vocabulary_parse(const char *command, const struct vocabulary_dialect *dialect,
				  int argc, char **argv, struct vocabulary_request *request,
				  struct problem *problem);
void vocabulary_request_release(struct vocabulary_request *request);

#endif
