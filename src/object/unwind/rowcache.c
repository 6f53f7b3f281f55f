/* The one cache; pages of it that no address maps to are never touched. */
#include "object/unwind/rowcache.h"

struct rowcache_entry rowcache[1u << ROWCACHE_BITS];
uint64_t rowcache_generation;
