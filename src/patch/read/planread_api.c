/* Paths and trampolines of a plan of exported functions. */
#include "patch/read/planread_api.h"

#include <string.h>

#include "base/hashset.h"

#define JUMP_BYTES 5u

bool planapi_path(char *path, size_t size, const char *pattern)
{
	static const char digits[] = "0123456789abcdef", suffix[] = ".plan";
	uint64_t hash = hash_bytes(HASH_SEED, pattern, strlen(pattern));
	size_t length = strlen(path), keep = length - (sizeof(suffix) - 2);
	char *at;

	if (length < sizeof(suffix) || strcmp(path + length - (sizeof(suffix) - 1), suffix) != 0 ||
	    keep + 16 + sizeof(".api") > size)
		return false;
	at = path + keep;
	for (unsigned shift = 64; shift > 0; shift -= 4)
		*at++ = digits[hash >> (shift - 4) & 15];
	memcpy(at, ".api", sizeof(".api"));
	return true;
}

uint64_t planapi_trampoline(const struct plan *plan, const struct plan_function *function)
{
	const struct plan_write *write = &plan->writes[function->first_write];
	int32_t distance;

	if (function->way == PLAN_WAY_NONE || function->write_count != 1 || write->distance_at != 1)
		return 0;
	memcpy(&distance, write->after + 1, sizeof(distance));
	return plan_write_address(plan->header, write) + JUMP_BYTES + (uint64_t)(int64_t)distance;
}
