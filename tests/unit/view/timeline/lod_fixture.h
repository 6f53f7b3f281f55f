/* Random numbers for the tests of levels of detail. */
#ifndef KYMO_LOD_FIXTURE_H
#define KYMO_LOD_FIXTURE_H

#include <stdint.h>

static uint64_t seed;

static inline uint64_t next_random(void)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return seed;
}

#endif
