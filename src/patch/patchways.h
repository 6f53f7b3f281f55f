/* Whether all ways into a loop and out of it are known: they are its function's direct jumps then.
 * One thread; uses malloc. */
#ifndef KYMO_PATCHWAYS_H
#define KYMO_PATCHWAYS_H

#include "patch/patchedges.h"

struct patch_ways {
	const struct patch_module *module;
	uint64_t *inward; /* by address: places within functions that others jump to */
	size_t inward_count;
	/* Of the function that is looked at. */
	const struct patch_function *function;
	uint32_t index;
	const struct patch_branches *branches;
	uint64_t *targets; /* of its direct jumps, by address */
	size_t target_capacity;
	bool is_plain; /* there is nothing in it of which not all is known */
};

/* False: out of memory, in both. */
bool patchways_begin(struct patch_ways *ways, const struct patch_module *module);
bool patchways_of(struct patch_ways *ways, uint32_t function,
		  const struct patch_branches *branches);
void patchways_release(struct patch_ways *ways);

bool patchways_are_known(const struct patch_ways *ways, const struct patch_range *loop);

#endif
