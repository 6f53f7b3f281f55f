/* Questions about single places in the code of an x86-64 file, all of them answered from what the
 * sweep found.  Addresses are the file's.  Any thread, but for patchbytes_take(), of which a byte
 * is one thread's. */
#ifndef KYMO_PATCHBYTES_H
#define KYMO_PATCHBYTES_H

#include "patch/analyse/patchsweep.h"
#include "patch/decode/x86_64/patchcode.h"

/* Decode the instruction at address; false: none there. */
bool patchbytes_code(const struct patch_module *module, uint64_t address, struct patch_code *out);
/* The instruction in front of address, not before floor; 0 = none is known. */
uint64_t patchbytes_before(const struct patch_module *module, uint64_t address, uint64_t floor);
/* How many bytes from address on nobody ever executes, up to need. */
unsigned patchbytes_padding(const struct patch_module *module, uint64_t address, unsigned need);
/* Nothing else will be written there. */
bool patchbytes_is_taken(const struct patch_module *module, uint64_t start, uint64_t size);
void patchbytes_take(struct patch_module *module, uint64_t start, uint64_t size, bool is_taken);
/* True when something may lead into (start, end): start itself may be led to. */
bool patchbytes_is_entered(const struct patch_module *module, uint64_t start, uint64_t end);
/* The stack at address is as at a function's entry. */
bool patchbytes_is_popped(const struct patch_module *module, uint64_t address);

#endif
