/* Keys are 64-bit hashes: two calls with equal hashes are not distinguished. */
#include "attach/python/seencalls.h"

#define CALLS_MAX 65536u

static uint64_t seencalls_hash_of(const struct pycall *call)
{
	uint64_t hash = hash_word(call->caller ^ call->caller >> 32);

	hash = hash_word(hash ^ hash >> 29 ^ call->callee);
	hash = hash_word(hash ^ hash >> 31 ^ call->offset);
	return hash ^ hash >> 32;
}

static uint64_t hash_of_caller(uint64_t caller)
{
	uint64_t hash = hash_word(caller ^ caller >> 32);

	return hash ^ hash >> 32;
}

void seencalls_release(struct seencalls *calls)
{
	hashset_release(&calls->calls);
	hashset_release(&calls->distances);
}

void seencalls_add(struct seencalls *calls, const struct pycall *call, uint32_t distance)
{
	uint64_t hash = seencalls_hash_of(call), caller = hash_of_caller(call->caller);

	if (calls->calls.count >= CALLS_MAX)
		seencalls_release(calls);
	if (!hashset_find_key(&calls->calls, hash))
		hashset_insert(&calls->calls, hash, 1);
	if (distance && !hashset_find_key(&calls->distances, caller))
		hashset_insert(&calls->distances, caller, distance);
}

bool seencalls_has(const struct seencalls *calls, const struct pycall *call)
{
	return hashset_find_key(&calls->calls, seencalls_hash_of(call)) != 0;
}

uint32_t seencalls_distance(const struct seencalls *calls, uint64_t caller)
{
	return (uint32_t)hashset_find_key(&calls->distances, hash_of_caller(caller));
}
