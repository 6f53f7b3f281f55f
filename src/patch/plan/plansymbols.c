/* Names for a plan's code, for debuggers. */
#include "patch/plan/plansymbols.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"

#define SECTION_TEXT 1 /* of the object that the collector makes: patchapply_object.c */

static bool plansymbols_append(struct plan_stretch *stretch, const void *bytes, size_t size)
{
	if (size > stretch->capacity - stretch->size) {
		uint8_t *grown =
			array_grow(stretch->bytes, &stretch->capacity, stretch->size + size, 1);

		if (!grown)
			return false;
		stretch->bytes = grown;
	}
	memcpy(stretch->bytes + stretch->size, bytes, size);
	stretch->size += size;
	return true;
}

/* Both tables begin with an empty entry. */
static bool plansymbols_begin(struct plan_symbols *symbols)
{
	static const Elf64_Sym none;

	return symbols->texts.size > 0 ||
	       (plansymbols_append(&symbols->table, &none, sizeof(none)) &&
		plansymbols_append(&symbols->texts, "", 1));
}

static void plansymbols_add(struct plan_symbols *symbols, const char *name, uint64_t start,
			    uint64_t size)
{
	Elf64_Sym symbol = {
		.st_info = ELF64_ST_INFO(STB_LOCAL, STT_FUNC),
		.st_shndx = SECTION_TEXT,
		.st_value = start,
		.st_size = size,
	};

	if (!plansymbols_begin(symbols)) {
		symbols->is_failed = true;
		return;
	}
	symbol.st_name = (uint32_t)symbols->texts.size;
	symbols->is_failed |= symbols->texts.size > UINT32_MAX ||
			      !plansymbols_append(&symbols->texts, name, strlen(name)) ||
			      !plansymbols_append(&symbols->texts, PLAN_SYMBOL_SUFFIX,
						  sizeof(PLAN_SYMBOL_SUFFIX)) ||
			      !plansymbols_append(&symbols->table, &symbol, sizeof(symbol));
}

void plansymbols_make(struct plan_symbols *symbols, const struct plan_blob *blob,
		      const struct plan_function *functions, const char *names, uint64_t cold)
{
	for (size_t i = 0; i < blob->extent_count; i++) {
		const struct plan_extent *extent = &blob->extents[i];
		const char *name = "exits";

		if (extent->function != PLAN_SHARED_CODE)
			name = names + functions[extent->function].name;
		if (name[0])
			plansymbols_add(symbols, name, extent->start, extent->end - extent->start);
	}
	plansymbols_add(symbols, "slow", cold, blob->cold.size);
}

void plansymbols_release(struct plan_symbols *symbols)
{
	free(symbols->table.bytes);
	free(symbols->texts.bytes);
	memset(symbols, 0, sizeof(*symbols));
}
