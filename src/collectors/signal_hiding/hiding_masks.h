/* Sets of signals as the program sees them: without those of sampling. */
#ifndef KYMO_HIDING_MASKS_H
#define KYMO_HIDING_MASKS_H

#include <signal.h>
#include <stdint.h>
#include <string.h>

#include "runtime/control/signalshare.h"

/* Bit signal - 1, as in the kernel. */
static inline uint64_t hiding_bits(const sigset_t *set)
{
	uint64_t bits;

	memcpy(&bits, set, sizeof(bits));
	return bits;
}

static inline void hiding_set_bits(sigset_t *set, uint64_t bits)
{
	memcpy(set, &bits, sizeof(bits));
}

/* The set that the program sees for the real one. */
static inline uint64_t hiding_seen(uint64_t bits)
{
	uint64_t sampling = kymo_sample_signals();

	return kymo_signal_is_all(bits) ? bits | sampling : bits & ~sampling;
}

/* A copy of set without sampling's signals.  Those that the program names individually, rather
 * than all, are left to it first. */
sigset_t hiding_without(const sigset_t *set);

#endif
