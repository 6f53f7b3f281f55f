/* The places where a loop is entered and left, and space for jumps there. */
#ifndef KYMO_PATCHEDGES_H
#define KYMO_PATCHEDGES_H

#include "patch/analyse/x86_64/patchcold.h"
#include "patch/analyse/patchloops.h"

struct patch_branch { /* a direct jump */
	uint64_t address, target;
	uint8_t kind; /* enum patch_code_kind */
};

struct patch_branches { /* of one function, by address, followed by those of its parts */
	struct patch_branch *items;
	size_t count, capacity;
	bool has_returns_twice; /* it calls setjmp() or another function that returns twice */
};

/* Add all edges of the loop to loops and reserve their bytes.  cold: divided by this loop. If one
 * edge cannot be patched there are none, and loop->reason says why.  False: out of memory. */
bool patchedges_find(struct patch_module *module, struct patch_loop *loop,
		     const struct patch_branches *branches, const struct patch_cold *cold,
		     struct patch_loops *loops);

#endif
