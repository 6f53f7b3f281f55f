/* Which symbol the loader resolves into a word of memory: for stubs and jumps through it. */
#ifndef KYMO_PATCHIMPORTS_H
#define KYMO_PATCHIMPORTS_H

#include <stdbool.h>
#include <stdint.h>

#include "patch/analyse/file/patchmodule.h"

struct patch_imports;

/* Read which symbols the loader resolves into words of memory. */
enum kymo_status patchimports_read(struct patch_module *module, struct problem *problem);
void patchimports_free(struct patch_imports *imports);
/* Name of the symbol whose address the loader puts into the word at address; "" = none. */
const char *patchimports_word(const struct patch_module *module, uint64_t address);
/* True: the word is for a symbol that the file does not define. */
bool patchimports_is_foreign(const struct patch_module *module, uint64_t address);
bool patchimports_has(const struct patch_module *module, const char *name);
/* Likewise for the stub at address: code that jumps through such a word. */
const char *patchimports_stub(const struct patch_module *module, uint64_t address);
const char *patchimports_stub_x86_64(const struct patch_module *module, uint64_t address);
/* The word that the stub at address jumps through; 0 = there is no stub. */
uint64_t patchimports_stub_word_x86_64(const struct patch_module *module, uint64_t address);

#endif
