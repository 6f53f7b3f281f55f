/* Queries about single addresses in the code of an x86-64 file, answered from the results of the
 * sweep.  Addresses are the file's.  Any thread; patchbytes_take() only if no other thread takes
 * the same bytes. */
#ifndef KYMO_PATCHBYTES_H
#define KYMO_PATCHBYTES_H

#include "patch/analyse/patchsweep.h"
#include "patch/decode/x86_64/patchcode.h"

/* Decode the instruction at address; false: no valid instruction. */
bool patchbytes_code(const struct patch_module *module, uint64_t address, struct patch_code *out);
/* The instruction before address, not before floor; 0 = not known. */
uint64_t patchbytes_before(const struct patch_module *module, uint64_t address, uint64_t floor);
/* The number of unused bytes from address on, up to need. */
unsigned patchbytes_padding(const struct patch_module *module, uint64_t address, unsigned need);
/* The range is already reserved for a write. */
bool patchbytes_is_taken(const struct patch_module *module, uint64_t start, uint64_t size);
void patchbytes_take(struct patch_module *module, uint64_t start, uint64_t size, bool is_taken);
/* True when something may branch into (start, end), start itself excluded. */
bool patchbytes_is_entered(const struct patch_module *module, uint64_t start, uint64_t end);
/* The stack at address is as at a function's entry. */
bool patchbytes_is_popped(const struct patch_module *module, uint64_t address);

#endif
