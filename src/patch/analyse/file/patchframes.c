/* Sorted by address, with an index, since each function and many places in it are looked up. */
#include "patch/analyse/file/patchframes.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/partitionpoint.h"
#include "patch/analyse/file/patchmodule.h"
#include "patch/analyse/patchindex.h"
#include "patch/analyse/patchsweep.h"

#define BACK_MAX 16u /* descriptions looked at for one that covers an address */

static int patchframes_by_start(const void *left, const void *right)
{
	const struct cfi_part *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

bool patchframes_read(struct patch_module *module)
{
	struct patch_sweep *sweep = module->sweep;
	size_t capacity = 0;
	uint64_t offset = 0;
	struct cfi_part part;

	while (cfi_next(&module->frames, &offset, &part)) {
		struct cfi_part *parts;

		if (!patchmodule_is_code(module, part.start))
			continue;
		parts = array_grow(sweep->parts, &capacity, sweep->part_count + 1, sizeof(*parts));
		if (!parts)
			return false;
		sweep->parts = parts;
		parts[sweep->part_count++] = part;
	}
	if (sweep->part_count)
		qsort(sweep->parts, sweep->part_count, sizeof(*sweep->parts), patchframes_by_start);
	return patchindex_make(&sweep->starts_of_parts, sweep->parts, sweep->part_count,
			       sizeof(*sweep->parts));
}

const struct cfi_part *patchframes_at(const struct patch_module *module, uint64_t address)
{
	const struct patch_sweep *sweep = module->sweep;
	size_t low, high;

	patchindex_narrow(&sweep->starts_of_parts, address, sweep->part_count, &low, &high);
	low = partition_point_within(low, high, i, sweep->parts[i].start <= address);
	for (size_t i = low; i > 0 && low - i < BACK_MAX; i--)
		if (address < sweep->parts[i - 1].end)
			return &sweep->parts[i - 1];
	return NULL;
}
