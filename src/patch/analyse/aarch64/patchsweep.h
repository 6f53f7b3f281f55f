/* Results of one pass over an AArch64 file, for later steps.  See patchsweep.h. */
#ifndef KYMO_PATCHSWEEP_AARCH64_H
#define KYMO_PATCHSWEEP_AARCH64_H

#include "object/unwind/cfi_program.h"
#include "patch/analyse/patchsweep.h"
#include "patch/decode/aarch64/patchcode.h"

#define ARMSWEEP_STACK 31u /* DWARF's number of the stack pointer */

/* Decode the instruction at address; false: no valid instruction. */
bool armsweep_code(const struct patch_module *module, uint64_t address, struct arm_code *out);
/* The instruction that the entry's jump displaces: the one after the landing pad instruction. */
uint64_t armsweep_entry(const struct patch_module *module, const struct patch_function *function);

enum kymo_status armsweep_run(struct patch_module *module, struct problem *problem);
void armsweep_superset(struct patch_module *module, uint64_t start, uint64_t end);
bool armsweep_is_entry(const struct patch_module *module, const struct cfi_fde *fde,
		       bool *has_rule_out);
/* The stack and the return address at address are as at a function's entry. */
bool armsweep_is_popped(const struct patch_module *module, uint64_t address);
const char *armsweep_stub(const struct patch_module *module, uint64_t address);

#endif
