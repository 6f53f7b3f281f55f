/* The table of callers.
 *
 * A return address may be in a trampoline: that of a displaced call, whose caller is the
 * function that was displaced, or the return point of a function that is called through and
 * ended by a jump to this one; then the original return address is in its shadow slot. */
#include "collectors/functions/records/funcpatch_callers.h"

#include "base/hashset.h"
#include "base/pages.h"
#include "base/probe.h"
#include "collectors/functions/funcpatch.h"
#include "collectors/functions/funcpatch_call.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/threads/funcpatch_shadow.h"
#include "runtime/control/sampling.h"

#define HEADER	       sizeof(struct kymo_chunk)
#define PAYLOAD_FIRST  (KYMO_CHUNK_ALIGN - HEADER)
#define PAYLOAD_MAX    ((UINT64_C(64) << 10) - HEADER)
#define CAPACITY_FIRST 512u
#define CAPACITY_MAX   (1u << 20)

static uint64_t return_address(uint64_t slot)
{
	uint64_t address = *(const uint64_t *)(uintptr_t)(slot + (uint64_t)PATCH_RETURN_AT);

	if (slot < funcpatch_shadow_floor() || !funcpatch_module_at(address) ||
	    !funcpatch_is_return_point(address))
		return address;
	address = *(const uint64_t *)(uintptr_t)(slot ^ UINT64_C(1) << PATCH_SHADOW_BIT);
	return address ? address : *(const uint64_t *)(uintptr_t)slot;
}

/* The place of the record, or the free place for it. */
static struct kymo_timed_caller **callers_place_of(struct kymo_timed_caller **table,
						   uint32_t capacity, uint32_t id, uint64_t address)
{
	uint64_t hash = hash_word(address ^ (uint64_t)id << 40) >> 32;

	return &table[probe(hash, capacity - 1, i,
			    !table[i] ||
				    (table[i]->id == id && table[i]->return_address == address))];
}

struct kymo_timed_caller *callers_known(const struct callers *callers, uint32_t id, uint64_t slot)
{
	if (callers->capacity == 0)
		return NULL;
	return *callers_place_of(callers->table, callers->capacity, id, return_address(slot));
}

struct kymo_timed_caller *callers_find(struct callers *callers, uint32_t id, uint64_t slot)
{
	uint64_t address = return_address(slot);
	struct kymo_timed_caller **place, *record;

	if (callers->capacity == 0)
		return NULL;
	place = callers_place_of(callers->table, callers->capacity, id, address);
	if (*place)
		return *place;
	if (callers->next == callers->end || callers->count >= callers->capacity / 4 * 3)
		return NULL;
	record = callers->next++;
	record->id = id;
	record->return_address = address;
	*place = record;
	callers->count++;
	return record;
}

bool callers_need_space(const struct callers *callers)
{
	return callers->next == callers->end ||
	       (callers->count >= callers->capacity / 2 && callers->capacity < CAPACITY_MAX);
}

static void callers_grow(struct callers *callers)
{
	uint32_t capacity = callers->capacity ? callers->capacity * 2 : CAPACITY_FIRST;
	struct kymo_timed_caller **table = pages_new(capacity * sizeof(struct kymo_timed_caller *));

	if (!table)
		return;
	for (uint32_t i = 0; i < callers->capacity; i++) {
		struct kymo_timed_caller *record = callers->table[i];

		if (record)
			*callers_place_of(table, capacity, record->id, record->return_address) =
				record;
	}
	pages_free(callers->table, callers->capacity * sizeof(struct kymo_timed_caller *));
	callers->table = table;
	callers->capacity = capacity;
}

void callers_reserve(struct callers *callers, struct kymo_thread *thread)
{
	struct kymo_chunk *chunk;

	if (callers->count >= callers->capacity / 2 && callers->capacity < CAPACITY_MAX)
		callers_grow(callers);
	if (callers->next != callers->end)
		return;
	if (callers->payload == 0)
		callers->payload = PAYLOAD_FIRST;
	chunk = kymo_sample_chunk(thread, KYMO_CHUNK_CALLERS, callers->payload,
				  sizeof(struct kymo_timed_caller), 0);
	if (!chunk)
		return;
	callers->next = (struct kymo_timed_caller *)(chunk + 1);
	callers->end = callers->next + (chunk->size - HEADER) / sizeof(struct kymo_timed_caller);
	if (callers->payload < PAYLOAD_MAX)
		callers->payload = callers->payload * 2 + HEADER;
}

void callers_release(struct callers *callers)
{
	pages_free(callers->table, callers->capacity * sizeof(struct kymo_timed_caller *));
}
