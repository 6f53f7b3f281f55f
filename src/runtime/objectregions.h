/* Regions of calls that wait for an object: one for each function and object, found by the
 * object's address without a lock.
 *
 * A collector keeps one struct kymo_object_regions per function, zero except for the name, for the
 * life of the process; its contents belong to the runtime.  Beyond KYMO_OBJECTS_MAX objects, one
 * further region of the function stands for all others.  Regions stay valid
 * over a fork.  Context: any. */
#ifndef KYMO_OBJECTREGIONS_H
#define KYMO_OBJECTREGIONS_H

#include "base/hashset.h"
#include "runtime/hot.h"

#define KYMO_OBJECTS_MAX	4096u
#define KYMO_OBJECTS_FIRST_BITS 5

struct kymo_object_slot {
	uint64_t address; /* 0 = free; written after region */
	uint64_t region;
};

struct kymo_object_regions {
	const char *name; /* of the function */
	/* Open addressing, at most half full.  An outgrown table stays mapped: another thread
	 * may be reading it.  0 = the first one. */
	struct kymo_object_table *table;
	uint32_t count;
	uint32_t others; /* region of the objects beyond the limit */
	struct kymo_object_slot first[1 << KYMO_OBJECTS_FIRST_BITS];
};

#define KYMO_OBJECT_REGIONS(function)                                                              \
	{                                                                                          \
		.name = function                                                                   \
	}

struct kymo_object_table {
	uint32_t bits; /* of the number of slots */
	uint32_t reserved;
	struct kymo_object_slot slots[];
};

KYMO_EXPORT uint32_t kymo_object_region_slow(struct kymo_object_regions *regions, uint64_t address);

/* The region of a call of the function on the object; 0 if there is none. */
static inline __attribute__((always_inline)) uint32_t
kymo_object_region(struct kymo_object_regions *regions, const volatile void *object)
{
	const struct kymo_object_table *table = __atomic_load_n(&regions->table, __ATOMIC_ACQUIRE);
	uint64_t address = (uintptr_t)object, hash = hash_word(address);
	const struct kymo_object_slot *slot;

	if (kymo_likely(!table))
		slot = &regions->first[hash >> (64 - KYMO_OBJECTS_FIRST_BITS)];
	else
		slot = &table->slots[hash >> (64 - table->bits)];
	if (kymo_likely(__atomic_load_n(&slot->address, __ATOMIC_ACQUIRE) == address))
		return (uint32_t)slot->region; /* no object: a free slot, and no region */
	return kymo_object_region_slow(regions, address);
}

#endif
