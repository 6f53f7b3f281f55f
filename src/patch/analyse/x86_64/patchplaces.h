/* Questions about single places in the code of an x86-64 file, all of them answered from what the
 * sweep found.  Addresses are the file's.  Any thread, but for patchplaces_take(), of which a byte
 * is one thread's. */
#ifndef KYMO_PATCHPLACES_H
#define KYMO_PATCHPLACES_H

#include "patch/analyse/patchsweep.h"
#include "patch/decode/x86_64/patchcode.h"

/* Decode the instruction at address; false: none there. */
bool patchplaces_code(const struct patch_module *module, uint64_t address, struct patch_code *out);
/* The instruction in front of address, not before floor; 0 = none is known. */
uint64_t patchplaces_before(const struct patch_module *module, uint64_t address, uint64_t floor);
/* How many bytes from address on nobody ever executes, up to need. */
unsigned patchplaces_padding(const struct patch_module *module, uint64_t address, unsigned need);
/* Nothing else will be written there. */
bool patchplaces_is_taken(const struct patch_module *module, uint64_t start, uint64_t size);
void patchplaces_take(struct patch_module *module, uint64_t start, uint64_t size, bool is_taken);
/* True when something may lead into (start, end): start itself may be led to. */
bool patchplaces_is_entered(const struct patch_module *module, uint64_t start, uint64_t end);
/* The stack at address is as at a function's entry. */
bool patchplaces_is_popped(const struct patch_module *module, uint64_t address);

#endif
