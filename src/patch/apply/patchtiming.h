/* The names of timings, as users give them.  Context: any. */
#ifndef KYMO_PATCHTIMING_H
#define KYMO_PATCHTIMING_H

#include <string.h>

#include "patch/apply/patchabi.h"

static inline const char *patchtiming_name(enum patch_cost timing)
{
	return timing == PATCH_COST_FULL     ? "full"
	       : timing == PATCH_COST_COARSE ? "coarse"
					     : "sampled";
}

/* 0 = no such name ("auto").  counts is an older name of sampled. */
static inline enum patch_cost patchtiming_find(const char *name)
{
	if (strcmp(name, "sampled") == 0 || strcmp(name, "counts") == 0)
		return PATCH_COST_COUNTS;
	if (strcmp(name, "coarse") == 0)
		return PATCH_COST_COARSE;
	return strcmp(name, "full") == 0 ? PATCH_COST_FULL : (enum patch_cost)0;
}

#endif
