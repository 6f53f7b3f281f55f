/* A table of hashes that only grows. */
#include "collectors/functions/modules/funcpatch_passed.h"

#include <stddef.h>

#define PASSED_MAX 512u

static uint64_t passed[PASSED_MAX];
static size_t passed_count;

void funcpatch_pass(uint64_t hash)
{
	if (passed_count < PASSED_MAX && !funcpatch_is_passed(hash))
		passed[passed_count++] = hash;
}

bool funcpatch_is_passed(uint64_t hash)
{
	for (size_t i = 0; i < passed_count; i++)
		if (passed[i] == hash)
			return true;
	return false;
}

void funcpatch_pass_none(void)
{
	passed_count = 0;
}
