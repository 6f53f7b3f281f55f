/* Distances in instructions of AArch64.  Any thread. */
#ifndef KYMO_PLANLINK_AARCH64_H
#define KYMO_PLANLINK_AARCH64_H

#include "patch/plan/planmark.h"

/* Fill in a distance in the code; address: its final address.  False: out of reach. */
bool armlink_set(const struct plan_link *link, uint8_t *place, uint64_t address, uint64_t target);
/* The jump that is written at an address: 4 bytes.  False: out of reach. */
bool armlink_jump(uint64_t at, uint64_t target, uint8_t *bytes);

#endif
