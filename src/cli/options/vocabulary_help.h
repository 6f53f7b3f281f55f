/* The help of the commands that share the vocabulary. */
#ifndef KYMO_VOCABULARY_HELP_H
#define KYMO_VOCABULARY_HELP_H

#include "base/status.h"
#include "cli/options/vocabulary.h"

/* Print the help: topic "" = what is available, "all" = with every setting and what is not
 * available, otherwise the options of one group.  KYMO_USAGE: there is no such topic. */
struct vocabulary_about {
	const char *command, *usage, *description;
	const struct vocabulary_dialect *dialect; /* NULL = there is none */
};
enum kymo_status vocabulary_help(const struct vocabulary_about *about, const char *topic,
				 struct problem *problem);

#endif
