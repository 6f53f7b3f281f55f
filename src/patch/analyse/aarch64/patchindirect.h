/* What a jump through a register of an AArch64 file is: a switch or a computed goto within its
 * function, or a tail call.  After the sweep; one thread, no memory of its own. */
#ifndef KYMO_PATCHINDIRECT_AARCH64_H
#define KYMO_PATCHINDIRECT_AARCH64_H

#include "patch/analyse/file/patchmodule.h"

enum arm_through {
	ARM_THROUGH_INSIDE,
	ARM_THROUGH_OUTSIDE,
	ARM_THROUGH_ENTRY, /* it may lead to the function's own entry */
	ARM_THROUGH_UNKNOWN,
};
/* Of the jump at address, in the function of that index. */
enum arm_through armthrough(const struct patch_module *module, uint32_t function, uint64_t address);

#endif
