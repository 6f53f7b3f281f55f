/* Symbols that the loader resolves into words of memory, and the stubs that jump through them. */
#include "patch/analyse/file/patchimports.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "patch/analyse/file/patchdynamic.h"
#include "patch/analyse/patchprocessor.h"
#include "patch/analyse/patchsweep.h"
#include "patch/decode/x86_64/patchcode.h"

struct import {
	uint64_t address;
	const char *name;
	bool is_own; /* the file defines the symbol itself */
};

struct patch_imports {
	struct import *items;
	size_t count;
};

static int patchimports_by_address(const void *left, const void *right)
{
	const struct import *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

static bool take_relocation(const struct patch_dynamic *dynamic, const uint32_t *types,
			    const Elf64_Rela *relocation, struct import *out)
{
	uint64_t type = ELF64_R_TYPE(relocation->r_info), index = ELF64_R_SYM(relocation->r_info);

	if ((type != types[0] && type != types[1] && type != types[2]) ||
	    index >= dynamic->symbol_count)
		return false;
	out->address = relocation->r_offset;
	out->name = patchmodule_text(dynamic->texts, dynamic->texts_size,
				     dynamic->symbols[index].st_name);
	out->is_own = dynamic->symbols[index].st_shndx != SHN_UNDEF;
	return true;
}

enum kymo_status patchimports_read(struct patch_module *module, struct problem *problem)
{
	struct patch_imports *imports = calloc(1, sizeof(*imports));
	struct patch_dynamic dynamic;
	size_t capacity;

	patchdynamic_read(module, &dynamic);
	capacity = dynamic.relocation_counts[0] + dynamic.relocation_counts[1];
	if (!imports || !(imports->items = malloc((capacity + 1) * sizeof(*imports->items)))) {
		free(imports);
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	for (unsigned table = 0; table < 2; table++)
		for (uint64_t i = 0; i < dynamic.relocation_counts[table]; i++)
			imports->count += take_relocation(&dynamic, module->processor->relocations,
							  &dynamic.relocations[table][i],
							  &imports->items[imports->count]);
	qsort(imports->items, imports->count, sizeof(*imports->items), patchimports_by_address);
	module->sweep->imports = imports;
	return KYMO_OK;
}

void patchimports_free(struct patch_imports *imports)
{
	if (imports)
		free(imports->items);
	free(imports);
}

static const struct import *patchimports_find(const struct patch_module *module, uint64_t address)
{
	const struct patch_imports *imports = module->sweep->imports;
	const struct import key = {.address = address};

	return bsearch(&key, imports->items, imports->count, sizeof(key), patchimports_by_address);
}

const char *patchimports_word(const struct patch_module *module, uint64_t address)
{
	const struct import *found = patchimports_find(module, address);

	return found ? found->name : "";
}

bool patchimports_is_foreign(const struct patch_module *module, uint64_t address)
{
	const struct import *found = patchimports_find(module, address);

	return found && !found->is_own;
}

const char *patchimports_stub(const struct patch_module *module, uint64_t address)
{
	return module->processor->stub(module, address);
}

uint64_t patchimports_stub_word_x86_64(const struct patch_module *module, uint64_t address)
{
	const unsigned char *bytes = patchmodule_at(module, address, 4);
	struct patch_code code;

	if (bytes && patchcode_is_endbr(bytes, 4))
		address += 4;
	bytes = patchmodule_at(module, address, 1);
	if (!bytes || !patchcode_decode(bytes, patchmodule_left(module, address), &code) ||
	    code.kind != PATCH_CODE_JUMP_INDIRECT || !code.is_rip_relative)
		return 0;
	return patchcode_operand(&code, address);
}

const char *patchimports_stub_x86_64(const struct patch_module *module, uint64_t address)
{
	uint64_t word = patchimports_stub_word_x86_64(module, address);

	return word ? patchimports_word(module, word) : "";
}

bool patchimports_has(const struct patch_module *module, const char *name)
{
	const struct patch_imports *imports = module->sweep->imports;

	for (size_t i = 0; i < imports->count; i++)
		if (strcmp(imports->items[i].name, name) == 0)
			return true;
	return false;
}
