/* The table of a function's objects: lookup beyond the first slot, and growth.  Written under the
 * store's lock, read without. */
#include "runtime/objectregions.h"

#include <stdio.h>

#include "base/keeperrno.h"
#include "base/pages.h"
#include "base/probe.h"
#include "runtime/lifecycle/session.h"
#include "runtime/modules.h"
#include "runtime/store/note.h"
#include "runtime/store/store.h"
#include "runtime/store/tables.h"

/* The slots in use now and the number of their bits. */
static struct kymo_object_slot *slots_of(struct kymo_object_regions *regions, uint32_t *bits)
{
	struct kymo_object_table *table = __atomic_load_n(&regions->table, __ATOMIC_ACQUIRE);

	*bits = table ? table->bits : KYMO_OBJECTS_FIRST_BITS;
	return table ? table->slots : regions->first;
}

/* The slot of address, or the free slot for it. */
static struct kymo_object_slot *objectregions_slot_of(struct kymo_object_slot *slots, uint32_t bits,
						      uint64_t address)
{
	uint64_t found;

	return &slots[probe(hash_word(address) >> (64 - bits), (UINT64_C(1) << bits) - 1, i,
			    (found = __atomic_load_n(&slots[i].address, __ATOMIC_ACQUIRE)) == 0 ||
				    found == address)];
}

static void objectregions_fill(struct kymo_object_slot *slot, uint64_t address, uint64_t region)
{
	slot->region = region;
	__atomic_store_n(&slot->address, address, __ATOMIC_RELEASE);
}

/* Space for one more.  The lock is held. */
static bool objectregions_reserve(struct kymo_object_regions *regions)
{
	struct kymo_object_table *larger;
	struct kymo_object_slot *slots;
	uint32_t bits;

	slots = slots_of(regions, &bits);
	if (regions->count < (uint32_t)1 << (bits - 1))
		return true;
	larger = pages_new(sizeof(*larger) + ((size_t)2 << bits) * sizeof(*slots));
	if (!larger)
		return false;
	larger->bits = bits + 1;
	for (uint32_t i = 0; i < (uint32_t)1 << bits; i++)
		if (slots[i].address)
			objectregions_fill(objectregions_slot_of(larger->slots, larger->bits,
								 slots[i].address),
					   slots[i].address, slots[i].region);
	__atomic_store_n(&regions->table, larger, __ATOMIC_RELEASE);
	return true;
}

/* The lock is held. */
static uint32_t objectregions_intern(const char *name, uint64_t address)
{
	struct kymo_region_spec spec = {
		.kind = KYMO_REGION_PTHREAD, .flags = KYMO_REGION_OBJECT, .name = name};
	char arguments[32];

	snprintf(arguments, sizeof(arguments), "(0x%llx)", (unsigned long long)address);
	spec.arguments = arguments;
	return region_intern(&spec);
}

/* The lock is held. */
static uint32_t others(struct kymo_object_regions *regions)
{
	struct kymo_region_spec spec = {
		.kind = KYMO_REGION_PTHREAD, .name = regions->name, .arguments = "(others)"};
	char text[160];

	if (regions->others)
		return regions->others;
	regions->others = region_intern(&spec);
	snprintf(text, sizeof(text), "%s() was called for more than %u objects; the rest is '%s%s'",
		 regions->name, KYMO_OBJECTS_MAX, regions->name, spec.arguments);
	note_write(KYMO_NOTE_LOSS, "objects", text);
	return regions->others;
}

/* Another thread may have added it in the meantime.  The lock is held. */
static uint32_t find_or_add(struct kymo_object_regions *regions, uint64_t address)
{
	struct kymo_object_slot *slots, *slot;
	uint32_t bits, region;

	if (regions->count < KYMO_OBJECTS_MAX && !objectregions_reserve(regions))
		return 0;
	slots = slots_of(regions, &bits);
	slot = objectregions_slot_of(slots, bits, address);
	if (slot->address)
		return (uint32_t)slot->region;
	if (regions->count >= KYMO_OBJECTS_MAX)
		return others(regions);
	region = objectregions_intern(regions->name, address);
	if (!region)
		return 0;
	objectregions_fill(slot, address, region);
	regions->count++;
	return region;
}

static uint32_t objectregions_add(struct kymo_object_regions *regions, uint64_t address)
{
	uint32_t region = 0;

	if (!session_ensure() || !store_lock())
		return 0;
	if (store.header)
		region = find_or_add(regions, address);
	store_unlock();
	if (region)
		modules_note_address(address);
	return region;
}

uint32_t kymo_object_region_slow(struct kymo_object_regions *regions, uint64_t address)
{
	struct kymo_object_slot *slots;
	const struct kymo_object_slot *slot;
	KEEP_ERRNO();
	uint32_t bits, region;

	if (address == 0)
		return 0;
	slots = slots_of(regions, &bits);
	slot = objectregions_slot_of(slots, bits, address);
	/* A free slot may have been filled with another address since. */
	if (__atomic_load_n(&slot->address, __ATOMIC_ACQUIRE) == address)
		return (uint32_t)slot->region;
	/* Beyond the limit every new address gets here: it must not take the lock each time. */
	region = __atomic_load_n(&regions->others, __ATOMIC_RELAXED);
	if (region)
		return region;
	region = objectregions_add(regions, address);
	return region;
}
