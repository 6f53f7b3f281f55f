/* Which instructions of a function may be executed at another address: calls only if their return
 * addresses are not read.  Any thread of a decision. */
#ifndef KYMO_PATCHMOVABLE_H
#define KYMO_PATCHMOVABLE_H

#include "patch/analyse/patchdecision.h"
#include "patch/decode/x86_64/patchcode.h"

/* code: of the instruction at address. */
bool patchmovable(struct patch_decision *decision, uint64_t address, const struct patch_code *code);

#endif
