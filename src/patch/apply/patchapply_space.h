/* The address space of this process, as the kernel tells it: what is mapped where, and where
 * there is room.  No function of the C library is called.  Context: any. */
#ifndef KYMO_PATCHAPPLY_SPACE_H
#define KYMO_PATCHAPPLY_SPACE_H

#include <stdbool.h>
#include <stdint.h>

struct space_mapping {
	uint64_t start, end;
	int protection; /* PROT_* */
	bool is_shared;
};

/* Tell every mapping, in the order of addresses, until tell returns false.  0 or an errno
 * value. */
typedef bool (*space_fn)(const struct space_mapping *mapping, void *context);
int space_each(space_fn tell, void *context);

struct space_wish {
	uint64_t size;
	uint64_t near;	    /* as near to this as can be, and with all of it */
	uint64_t low, high; /* in [low, high) */
};
/* Reserve size bytes that nothing may be done with; their address, or 0. */
uint64_t space_reserve(const struct space_wish *wish);
/* Likewise at one place, which must be free. */
bool space_reserve_at(uint64_t address, uint64_t size);

#endif
