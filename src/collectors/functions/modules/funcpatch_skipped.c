/* A table of hashes that only grows. */
#include "collectors/functions/modules/funcpatch_skipped.h"

#include <stddef.h>

#define SKIPPED_MAX 512u

static uint64_t skipped[SKIPPED_MAX];
static size_t skipped_count;

void funcpatch_skip(uint64_t hash)
{
	if (skipped_count < SKIPPED_MAX && !funcpatch_is_skipped(hash))
		skipped[skipped_count++] = hash;
}

bool funcpatch_is_skipped(uint64_t hash)
{
	for (size_t i = 0; i < skipped_count; i++)
		if (skipped[i] == hash)
			return true;
	return false;
}

void funcpatch_skip_none(void)
{
	skipped_count = 0;
}
