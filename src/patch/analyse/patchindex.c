/* Indexes of tables that are sorted by address. */
#include "patch/analyse/patchindex.h"

#include <stdlib.h>
#include <string.h>

#define SHIFT_LEAST	    6u /* 64 bytes: most functions are larger */
#define STRETCHES_PER_ENTRY 4u

static uint64_t patchindex_address_of(const void *entries, size_t number, size_t size)
{
	uint64_t address;

	memcpy(&address, (const unsigned char *)entries + number * size, sizeof(address));
	return address;
}

bool patchindex_make(struct patch_index *index, const void *entries, size_t count, size_t size)
{
	struct patch_index made = {.shift = SHIFT_LEAST, .count = count};
	uint64_t last, stretch = 0;

	*index = (struct patch_index){0};
	if (count == 0 || count > UINT32_MAX)
		return true;
	made.start = patchindex_address_of(entries, 0, size);
	last = patchindex_address_of(entries, count - 1, size) - made.start;
	while (last >> made.shift >= (uint64_t)count * STRETCHES_PER_ENTRY)
		made.shift++;
	made.stretches = (last >> made.shift) + 1;
	made.before = calloc(made.stretches + 1, sizeof(*made.before));
	if (!made.before)
		return false;
	for (size_t i = 0; i < count; i++)
		for (uint64_t of =
			     (patchindex_address_of(entries, i, size) - made.start) >> made.shift;
		     stretch < of;)
			made.before[++stretch] = (uint32_t)i;
	made.before[made.stretches] = (uint32_t)count;
	*index = made;
	return true;
}

void patchindex_release(struct patch_index *index)
{
	free(index->before);
	*index = (struct patch_index){0};
}
