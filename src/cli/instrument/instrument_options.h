/* The options that `kymo instrument` adds to those of `kymo run`, or replaces. */
#ifndef KYMO_INSTRUMENT_OPTIONS_H
#define KYMO_INSTRUMENT_OPTIONS_H

#include "cli/options/vocabulary.h"

/* Those that are not settings: indexes into the request's own[]. */
enum instrument_own {
	OWN_OUTPUT,
	OWN_ENVIRONMENT,
	OWN_SIMULATE,
	OWN_PRINT_AVAILABLE, /* these four in the order of enum instrument_list */
	OWN_PRINT_INSTRUMENTED,
	OWN_PRINT_EXCLUDED,
	OWN_PRINT_OVERLAPPING,
	OWN_PRINT_FORMAT,
	OWN_PRINT_DIRECTORY,
	OWN_COUNT
};
_Static_assert(OWN_COUNT <= VOCABULARY_OWN_MAX, "there is room for each");

extern const struct vocabulary_dialect instrument_dialect;

#endif
