/* Whether all edges of a loop are known: if so they are direct jumps of its function and of the
 * parts of that. One thread; uses malloc. */
#ifndef KYMO_PATCHWAYS_H
#define KYMO_PATCHWAYS_H

#include "patch/analyse/x86_64/patchcold.h"
#include "patch/analyse/x86_64/patchedges.h"

struct patch_inward {
	uint64_t target;
	uint32_t root; /* the function that jumps */
};

struct patch_ways {
	const struct patch_module *module;
	struct patch_inward *inward; /* by target: targets within functions of jumps from outside,
				      * and the starts of parts */
	size_t inward_count;
	struct patch_cold cold;
	/* The current function. */
	const struct patch_function *function;
	uint32_t index;
	const struct patch_branches *branches;
	bool is_plain;				/* all of its control flow is known */
	bool is_entered, are_fragments_entered; /* by jumps of others, into it or into a part */
};

/* False: out of memory, in both. */
bool patchways_begin(struct patch_ways *ways, const struct patch_module *module);
bool patchways_of(struct patch_ways *ways, uint32_t function,
		  const struct patch_branches *branches);
void patchways_release(struct patch_ways *ways);

/* The parts must be divided by the loop before. */
bool patchways_are_known(struct patch_ways *ways, const struct patch_range *loop);

#endif
