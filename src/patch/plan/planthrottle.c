/* The calls of functions that have copies: 5-byte instructions whose last 4 bytes are a distance
 * that can be changed atomically, since it is in one cache line. */
#include "patch/plan/planthrottle.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/partitionpoint.h"
#include "patch/analyse/patchsweep.h"

#define CALL_BYTES  5u
#define OPCODE_CALL 0xe8
#define OPCODE_JUMP 0xe9
#define LINE_BYTES  64u

struct call_found {
	uint32_t copy, at;
};

struct call_search {
	const struct patch_module *module;
	const struct plan_throttle *throttle;
	uint64_t text_start;
	const uint8_t *claimed;
	struct call_found *found;
	size_t count, capacity;
	bool is_failed;
};

static uint64_t copy_address(const struct call_search *search, size_t copy)
{
	return search->module->functions[search->throttle->copies[copy].function].address;
}

/* The copy of the function that begins at an address; UINT32_MAX = none. */
static uint32_t planthrottle_copy_of(const struct call_search *search, uint64_t address)
{
	const struct plan_throttle *throttle = search->throttle;
	size_t at = partition_point(throttle->copy_count, i, copy_address(search, i) < address);

	return at < throttle->copy_count && copy_address(search, at) == address ? (uint32_t)at
										: UINT32_MAX;
}

/* Nothing else is written there, and nothing branches into the middle of it. */
static bool planthrottle_is_free(const struct call_search *search, uint64_t address)
{
	for (uint64_t i = 0; i < CALL_BYTES; i++)
		if (patchbits_has(search->claimed, address + i - search->text_start) ||
		    (i > 0 && patchmodule_is_target(search->module, address + i)))
			return false;
	return true;
}

static void planthrottle_check_call(struct call_search *search, uint64_t address,
				    const unsigned char *bytes)
{
	uint64_t distance_at = address + 1;
	struct call_found *grown;
	int32_t distance;
	uint32_t copy;

	memcpy(&distance, bytes + 1, sizeof(distance));
	copy = planthrottle_copy_of(search, address + CALL_BYTES + (uint64_t)(int64_t)distance);
	if (copy == UINT32_MAX || distance_at % LINE_BYTES > LINE_BYTES - sizeof(distance) ||
	    !planthrottle_is_free(search, address))
		return;
	grown = array_grow(search->found, &search->capacity, search->count + 1, sizeof(*grown));
	if (!grown) {
		search->is_failed = true;
		return;
	}
	search->found = grown;
	grown[search->count++] =
		(struct call_found){copy, (uint32_t)(distance_at - search->text_start)};
}

/* Only in functions whose instruction boundaries are certain. */
static void planthrottle_scan(struct call_search *search, uint32_t index)
{
	const uint16_t odd = PATCH_SWEPT_UNSUPPORTED | PATCH_SWEPT_DATA | PATCH_SWEPT_SHARED;
	const struct patch_module *module = search->module;
	const struct patch_function *function = &module->functions[index];
	const struct patch_sweep *sweep = module->sweep;
	const unsigned char *bytes = patchmodule_at(module, function->address, function->size);
	uint64_t first = function->address - module->targets_start;

	if (!bytes || !(sweep->notes[index] & PATCH_SWEPT_ALL) || (sweep->notes[index] & odd) ||
	    function->address < search->text_start)
		return;
	for (uint64_t at = 0; at + CALL_BYTES <= function->size; at++)
		if ((bytes[at] == OPCODE_CALL || bytes[at] == OPCODE_JUMP) &&
		    patchbits_has(sweep->boundaries, first + at))
			planthrottle_check_call(search, function->address + at, bytes + at);
}

static int planthrottle_compare(const void *left, const void *right)
{
	const struct call_found *a = left, *b = right;

	if (a->copy != b->copy)
		return a->copy < b->copy ? -1 : 1;
	return a->at < b->at ? -1 : a->at > b->at;
}

static void planthrottle_keep(struct call_search *search, struct plan_throttle *throttle)
{
	throttle->calls = calloc(search->count + 1, sizeof(*throttle->calls));
	if (!throttle->calls) {
		search->is_failed = true;
		return;
	}
	if (search->count > 0)
		qsort(search->found, search->count, sizeof(*search->found), planthrottle_compare);
	for (size_t i = 0; i < search->count; i++) {
		throttle->calls[i].distance_at = search->found[i].at;
		throttle->copies[search->found[i].copy].call_count++;
	}
	throttle->call_count = search->count;
	for (size_t i = 1; i < throttle->copy_count; i++)
		throttle->copies[i].first_call =
			throttle->copies[i - 1].first_call + throttle->copies[i - 1].call_count;
}

void planthrottle_calls(struct plan_throttle *throttle, const struct patch_module *module,
			uint64_t text_start, const uint8_t *claimed)
{
	struct call_search search = {.module = module,
				     .throttle = throttle,
				     .text_start = text_start,
				     .claimed = claimed};

	if (module->sweep)
		for (uint32_t i = 0; i < module->function_count; i++)
			planthrottle_scan(&search, i);
	planthrottle_keep(&search, throttle);
	throttle->is_failed |= search.is_failed;
	free(search.found);
}

void planthrottle_release(struct plan_throttle *throttle)
{
	free(throttle->copies);
	free(throttle->calls);
	*throttle = (struct plan_throttle){0};
}
