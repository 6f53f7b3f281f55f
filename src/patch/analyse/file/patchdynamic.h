/* The loader's view of a file: tables that PT_DYNAMIC names. */
#ifndef KYMO_PATCHDYNAMIC_H
#define KYMO_PATCHDYNAMIC_H

#include <elf.h>
#include <stdint.h>

#include "patch/analyse/file/patchmodule.h"

/* The loader's view: tables that PT_DYNAMIC names. */
struct patch_dynamic {
	const Elf64_Sym *symbols;
	uint64_t symbol_count;
	const char *texts;
	uint64_t texts_size;
	const Elf64_Rela *relocations[2]; /* DT_RELA and DT_JMPREL */
	uint64_t relocation_counts[2];
	const uint64_t *packed; /* DT_RELR */
	uint64_t packed_count;
	uint64_t init, fini;
	uint64_t versions, needs; /* addresses of DT_VERSYM and DT_VERNEED; 0 = none */
};
void patchdynamic_read(const struct patch_module *module, struct patch_dynamic *out);
/* Of an undefined symbol, the version that another file has to have of it; "" = none. */
const char *patchdynamic_version(const struct patch_module *module,
				 const struct patch_dynamic *dynamic, uint64_t symbol);

#endif
