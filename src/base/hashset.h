/* Values found by a hash and a match function: open addressing in private pages.
 * The caller serialises all calls and frees with hashset_release(). */
#ifndef KYMO_HASHSET_H
#define KYMO_HASHSET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct hashset_slot {
	uint64_t hash;
	uint64_t value; /* 0 = free */
};

struct hashset {
	struct hashset_slot *slots;
	size_t capacity; /* a power of two, or 0 */
	size_t count;
};

typedef bool (*hashset_match_fn)(uint64_t value, const void *key);

/* The value whose hash is equal and which match() accepts; 0 = none. */
uint64_t hashset_find(const struct hashset *set, uint64_t hash, hashset_match_fn match,
		      const void *key);
/* The same if equal hashes imply equal keys, as for those of hash_pair(). */
uint64_t hashset_find_key(const struct hashset *set, uint64_t hash);
/* Add a value (not 0) that is not in the set.  False if out of memory. */
bool hashset_insert(struct hashset *set, uint64_t hash, uint64_t value);
void hashset_release(struct hashset *set);

/* FNV-1a over bytes, continued from seed; begin with HASH_SEED. */
#define HASH_SEED UINT64_C(0xcbf29ce484222325)
static inline uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t size)
{
	const unsigned char *byte = bytes;

	for (size_t i = 0; i < size; i++)
		seed = (seed ^ byte[i]) * UINT64_C(0x100000001b3);
	return seed;
}

/* Spread a word over all bits (Fibonacci hashing); take the upper ones. */
static inline uint64_t hash_word(uint64_t word)
{
	return word * UINT64_C(0x9e3779b97f4a7c15);
}

/* Two words as one, different for different pairs and spread over all bits. */
static inline uint64_t hash_pair(uint32_t first, uint32_t second)
{
	uint64_t pair = (uint64_t)first << 32 | second;

	pair = hash_word(pair ^ pair >> 32);
	return pair ^ pair >> 32;
}

#endif
