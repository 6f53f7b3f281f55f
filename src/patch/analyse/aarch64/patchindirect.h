/* What a jump through a register of an AArch64 file is: a switch or a computed goto within its
 * function, or a tail call.  After the sweep; one thread, no memory of its own. */
#ifndef KYMO_PATCHINDIRECT_AARCH64_H
#define KYMO_PATCHINDIRECT_AARCH64_H

#include "patch/analyse/file/patchmodule.h"

enum arm_jump_target {
	ARM_TARGET_INSIDE,
	ARM_TARGET_OUTSIDE,
	ARM_TARGET_ENTRY, /* it may lead to the function's own entry */
	ARM_TARGET_UNKNOWN,
};
/* Classify the jump at address, in the function of that index. */
enum arm_jump_target armindirect_target(const struct patch_module *module, uint32_t function,
					uint64_t address);

#endif
