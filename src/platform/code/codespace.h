/* Finding free address space in this process, by its maps.  No function of the C library is called.
 * Context: any. */
#ifndef KYMO_CODESPACE_H
#define KYMO_CODESPACE_H

#include <stdbool.h>
#include <stdint.h>

struct space_request {
	uint64_t size;
	uint64_t near;	    /* as near to this as possible */
	uint64_t low, high; /* entirely within [low, high) */
};
/* Reserve size bytes, inaccessible; their address, or 0. */
uint64_t space_reserve(const struct space_request *request);
/* Likewise at one address, which must be free. */
bool space_reserve_at(uint64_t address, uint64_t size);

#endif
