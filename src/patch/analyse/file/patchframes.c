/* Sorted by address, with an index, since there are many lookups per function. */
#include "patch/analyse/file/patchframes.h"

#include <stdlib.h>

#include "base/array.h"
#include "base/partitionpoint.h"
#include "patch/analyse/file/patchmodule.h"
#include "patch/analyse/patchindex.h"
#include "patch/analyse/patchsweep.h"

#define BACK_MAX 16u /* descriptions inspected for one that covers an address */

static int patchframes_by_start(const void *left, const void *right)
{
	const struct cfi_fde *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

bool patchframes_read(struct patch_module *module)
{
	struct patch_sweep *sweep = module->sweep;
	size_t capacity = 0;
	uint64_t offset = 0;
	struct cfi_fde fde;

	while (cfi_next(&module->frames, &offset, &fde)) {
		struct cfi_fde *fdes;

		if (!patchmodule_is_code(module, fde.start))
			continue;
		fdes = array_grow(sweep->fdes, &capacity, sweep->fde_count + 1, sizeof(*fdes));
		if (!fdes)
			return false;
		sweep->fdes = fdes;
		fdes[sweep->fde_count++] = fde;
	}
	if (sweep->fde_count)
		qsort(sweep->fdes, sweep->fde_count, sizeof(*sweep->fdes), patchframes_by_start);
	return patchindex_make(&sweep->starts_of_fdes, sweep->fdes, sweep->fde_count,
			       sizeof(*sweep->fdes));
}

const struct cfi_fde *patchframes_at(const struct patch_module *module, uint64_t address)
{
	const struct patch_sweep *sweep = module->sweep;
	size_t low, high;

	patchindex_narrow(&sweep->starts_of_fdes, address, sweep->fde_count, &low, &high);
	low = partition_point_within(low, high, i, sweep->fdes[i].start <= address);
	for (size_t i = low; i > 0 && low - i < BACK_MAX; i--)
		if (address < sweep->fdes[i - 1].end)
			return &sweep->fdes[i - 1];
	return NULL;
}
