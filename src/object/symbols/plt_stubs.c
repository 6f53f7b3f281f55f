/* Stubs of procedure linkage tables: each jumps through a slot of the global offset table, which a
 * relocation fills with a function's address. */
#include "object/symbols/plt_stubs.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "object/image/module_files.h"
#include "object/symbols/x86_64/plt.h"

#define DEFAULT_STUB 16u

struct slot { /* and the relocation that fills it */
	uint64_t address;
	const char *function;
	uint64_t target;
};

struct slots {
	struct slot *items; /* by address, when they are sorted */
	size_t count, capacity;
	struct slot *numbered; /* those of .rela.plt, in their order */
	size_t numbered_count;
};

static bool add_slot(struct slots *slots, const struct slot *slot)
{
	struct slot *items =
		array_grow(slots->items, &slots->capacity, slots->count + 1, sizeof(*items));

	if (!items)
		return false;
	slots->items = items;
	items[slots->count++] = *slot;
	return true;
}

/* The name of symbol number of the symbol table of relocations. */
static const char *symbol_name(Elf *elf, GElf_Word table, uint64_t number)
{
	Elf_Scn *section = table ? elf_getscn(elf, table) : NULL;
	Elf_Data *data = section ? elf_getdata(section, NULL) : NULL;
	const char *name;
	GElf_Shdr header;
	GElf_Sym symbol;

	if (!data || number == 0 || number > INT32_MAX || !gelf_getshdr(section, &header) ||
	    !gelf_getsym(data, (int)number, &symbol))
		return NULL;
	name = elf_strptr(elf, header.sh_link, symbol.st_name);
	return name && *name ? name : NULL;
}

static bool fills_function(const GElf_Rela *relocation)
{
	uint64_t type = GELF_R_TYPE(relocation->r_info);

	return type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT ||
	       type == R_X86_64_IRELATIVE;
}

static bool read_relocations(struct slots *slots, Elf *elf, Elf_Scn *section,
			     const GElf_Shdr *header)
{
	Elf_Data *data = elf_getdata(section, NULL);
	size_t count = data && header->sh_entsize ? data->d_size / header->sh_entsize : 0;

	for (size_t i = 0; i < count && i <= INT32_MAX; i++) {
		GElf_Rela relocation;
		struct slot slot;

		if (!gelf_getrela(data, (int)i, &relocation))
			break;
		if (!fills_function(&relocation))
			continue;
		slot = (struct slot){
			.address = relocation.r_offset,
			.function =
				symbol_name(elf, header->sh_link, GELF_R_SYM(relocation.r_info)),
			.target = (uint64_t)relocation.r_addend,
		};
		if (!add_slot(slots, &slot))
			return false;
	}
	return true;
}

static int stubs_by_address(const void *left, const void *right)
{
	const struct slot *a = left, *b = right;

	return a->address < b->address ? -1 : a->address > b->address;
}

static bool keep_numbered(struct slots *slots, size_t from)
{
	size_t count = slots->count - from;

	slots->numbered = count ? calloc(count, sizeof(*slots->numbered)) : NULL;
	if (!slots->numbered)
		return count == 0;
	memcpy(slots->numbered, slots->items + from, count * sizeof(*slots->numbered));
	slots->numbered_count = count;
	return true;
}

static bool read_slots(struct slots *slots, Elf *elf)
{
	GElf_Shdr header, plt;
	Elf_Scn *section = NULL, *numbered = module_section(elf, ".rela.plt", SHT_NULL, &plt);

	while ((section = elf_nextscn(elf, section))) {
		size_t from = slots->count;

		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_RELA)
			continue;
		if (!read_relocations(slots, elf, section, &header) ||
		    (section == numbered && !keep_numbered(slots, from)))
			return false;
	}
	if (slots->count)
		qsort(slots->items, slots->count, sizeof(*slots->items), stubs_by_address);
	return slots->count > 0;
}

static const struct slot *stubs_slot_of(const struct slots *slots, const unsigned char *code,
					size_t size, uint64_t address)
{
	struct slot key;
	uint32_t number;

	if (plt_x86_64_slot(code, size, address, &key.address))
		return bsearch(&key, slots->items, slots->count, sizeof(key), stubs_by_address);
	if (plt_x86_64_number(code, size, &number) && number < slots->numbered_count)
		return &slots->numbered[number];
	return NULL;
}

static void visit_stubs(const struct slots *slots, Elf *elf, const char *name, plt_stub_fn visit,
			void *context)
{
	GElf_Shdr header = {0};
	Elf_Scn *section = module_section(elf, name, SHT_NULL, &header);
	Elf_Data *data =
		section && header.sh_type == SHT_PROGBITS ? elf_rawdata(section, NULL) : NULL;
	size_t size = header.sh_entsize >= 8 && header.sh_entsize <= 64 ? header.sh_entsize
									: DEFAULT_STUB;

	if (!data || !data->d_buf)
		return;
	for (size_t at = 0; size <= data->d_size - at; at += size) {
		const unsigned char *code = (const unsigned char *)data->d_buf + at;
		const struct slot *slot = stubs_slot_of(slots, code, size, header.sh_addr + at);
		struct plt_stub stub = {.start = header.sh_addr + at, .size = size};

		if (!slot)
			continue;
		stub.function = slot->function;
		stub.target = slot->target;
		visit(&stub, context);
	}
}

void plt_stubs_each(Elf *elf, plt_stub_fn visit, void *context)
{
	struct slots slots = {0};
	GElf_Ehdr header;

	if (!gelf_getehdr(elf, &header) || header.e_machine != EM_X86_64)
		return;
	if (read_slots(&slots, elf)) {
		visit_stubs(&slots, elf, ".plt", visit, context);
		visit_stubs(&slots, elf, ".plt.sec", visit, context);
		visit_stubs(&slots, elf, ".plt.got", visit, context);
		visit_stubs(&slots, elf, ".iplt", visit, context);
	}
	free(slots.items);
	free(slots.numbered);
}
