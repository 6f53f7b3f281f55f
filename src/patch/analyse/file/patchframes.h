/* The frame descriptions of a file (FDEs), by address: the code that each describes.  Uses
 * malloc(); the descriptions belong to module.sweep. */
#ifndef KYMO_PATCHFRAMES_H
#define KYMO_PATCHFRAMES_H

#include <stdbool.h>
#include <stdint.h>

struct cfi_fde;
struct patch_module;

/* Read all of them into module.sweep.  False: out of memory.  One thread. */
bool patchframes_read(struct patch_module *module);
/* Afterwards: the description that covers address; NULL = none.  Any thread. */
const struct cfi_fde *patchframes_at(const struct patch_module *module, uint64_t address);

#endif
