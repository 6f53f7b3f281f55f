/* Linear probing, at most three quarters full, doubling. */
#include "base/hashset.h"

#include "base/pages.h"
#include "base/probe.h"

#define FIRST_CAPACITY 256

static uint64_t hashset_place_of(uint64_t hash)
{
	return hash_word(hash) >> 20;
}

static void hashset_place(struct hashset *set, uint64_t hash, uint64_t value)
{
	size_t at = probe(hashset_place_of(hash), set->capacity - 1, i, !set->slots[i].value);

	set->slots[at] = (struct hashset_slot){hash, value};
}

static bool enlarge(struct hashset *set)
{
	struct hashset larger = {NULL, set->capacity ? set->capacity * 2 : FIRST_CAPACITY,
				 set->count};
	struct hashset before = *set;

	larger.slots = pages_new(larger.capacity * sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < set->capacity; i++)
		if (set->slots[i].value)
			hashset_place(&larger, set->slots[i].hash, set->slots[i].value);
	/* A signal handler that leaves by a long jump must find no freed memory here. */
	set->slots = larger.slots;
	__atomic_signal_fence(__ATOMIC_SEQ_CST);
	set->capacity = larger.capacity;
	pages_free(before.slots, before.capacity * sizeof(*before.slots));
	return true;
}

uint64_t hashset_find(const struct hashset *set, uint64_t hash, hashset_match_fn match,
		      const void *key)
{
	size_t at;

	if (!set->capacity)
		return 0;
	at = probe(hashset_place_of(hash), set->capacity - 1, i,
		   !set->slots[i].value ||
			   (set->slots[i].hash == hash && match(set->slots[i].value, key)));
	return set->slots[at].value;
}

static bool hashset_accept(uint64_t value, const void *key)
{
	return value != 0 && !key;
}

uint64_t hashset_find_key(const struct hashset *set, uint64_t hash)
{
	return hashset_find(set, hash, hashset_accept, NULL);
}

bool hashset_insert(struct hashset *set, uint64_t hash, uint64_t value)
{
	if (set->count * 4 >= set->capacity * 3 && !enlarge(set))
		return false;
	hashset_place(set, hash, value);
	set->count++;
	return true;
}

void hashset_release(struct hashset *set)
{
	pages_free(set->slots, set->capacity * sizeof(*set->slots));
	set->slots = NULL;
	set->capacity = set->count = 0;
}
