/* Where the address space of this process has room, as the kernel tells it.  No function of the C
 * library is called.  Context: any. */
#ifndef KYMO_PATCHAPPLY_SPACE_H
#define KYMO_PATCHAPPLY_SPACE_H

#include <stdbool.h>
#include <stdint.h>

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
