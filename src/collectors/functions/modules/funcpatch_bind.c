/* Redirecting callers of a library's exported functions to trampolines.
 *
 * What is not bound yet (lazy binding, libraries loaded later, dlsym()) is resolved by the
 * library's own symbol table, in which the values of the functions are replaced by their
 * trampolines'.  What is bound already is in the tables and the data of the loaded modules,
 * where relocations have stored the address of such a function: it is replaced in all of them,
 * so that pointers to one function stay equal.  Code is not changed.  Kymo's own libraries keep
 * calling the functions themselves. */
#include "collectors/functions/modules/funcpatch_bind.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>

#include "base/partitionpoint.h"
#include "collectors/functions/modules/funcpatch_found.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "platform/code/codememory.h"
#include "platform/code/rawmemory.h"
#include "patch/plan/plan.h"
#include "patch/read/planread_api.h"
#include "platform/modulescan.h"

#define PAGE 4096u

struct tables { /* of one module, from the loader: addresses in the process */
	uint64_t start, end, bias;
	const ElfW(Phdr) * segments;
	unsigned segment_count;
	const Elf64_Sym *symbols;
	const char *names;
	const uint32_t *hash, *gnu_hash;
	const Elf64_Rela *relocations[2]; /* DT_RELA, DT_JMPREL */
	uint64_t relocation_bytes[2];
};

struct binding {
	const struct funcpatch_module *library;
	bool is_done; /* its symbol table was changed */
};

/* The loader has relocated some of the values. */
static uint64_t bind_place(const struct tables *tables, uint64_t value)
{
	uint64_t address =
		value >= tables->start && value < tables->end ? value : value + tables->bias;

	return address >= tables->start && address < tables->end ? address : 0;
}

static void bind_take_entry(struct tables *tables, const ElfW(Dyn) * entry)
{
	void *at = (void *)(uintptr_t)bind_place(tables, entry->d_un.d_ptr);

	switch (entry->d_tag) {
	case DT_SYMTAB:
		tables->symbols = at;
		break;
	case DT_STRTAB:
		tables->names = at;
		break;
	case DT_HASH:
		tables->hash = at;
		break;
	case DT_GNU_HASH:
		tables->gnu_hash = at;
		break;
	case DT_RELA:
		tables->relocations[0] = at;
		break;
	case DT_JMPREL:
		tables->relocations[1] = at;
		break;
	case DT_RELASZ:
		tables->relocation_bytes[0] = entry->d_un.d_val;
		break;
	case DT_PLTRELSZ:
		tables->relocation_bytes[1] = entry->d_un.d_val;
		break;
	default:
		break;
	}
}

static bool take_tables(const struct modulescan_found *module, struct tables *tables)
{
	*tables = (struct tables){.start = module->start,
				  .end = module->end,
				  .bias = module->bias,
				  .segments = module->segments,
				  .segment_count = module->segment_count};
	for (unsigned i = 0; i < module->segment_count; i++) {
		const ElfW(Phdr) *phdr = &module->segments[i];
		const ElfW(Dyn) *entry =
			(const void *)(uintptr_t)bind_place(tables, phdr->p_vaddr + module->bias);

		if (phdr->p_type != PT_DYNAMIC || !entry)
			continue;
		for (uint64_t k = 0; k < phdr->p_memsz / sizeof(*entry); k++, entry++) {
			if (entry->d_tag == DT_NULL)
				break;
			bind_take_entry(tables, entry);
		}
	}
	for (unsigned i = 0; i < 2; i++)
		if (!tables->relocations[i] ||
		    tables->relocation_bytes[i] >
			    tables->end - (uint64_t)(uintptr_t)tables->relocations[i])
			tables->relocation_bytes[i] = 0;
	return tables->symbols && tables->names;
}

/* Number of symbols with hashes, which are all that others can find. */
static uint64_t bind_symbol_count(const struct tables *tables)
{
	const uint32_t *hash = tables->gnu_hash, *buckets, *chain;
	uint32_t last = 0;

	if (tables->hash)
		return tables->hash[1];
	if (!hash)
		return 0;
	buckets = hash + 4 + 2 * (size_t)hash[2];
	for (uint32_t i = 0; i < hash[0]; i++)
		if (buckets[i] > last)
			last = buckets[i];
	if (last < hash[1])
		return 0;
	chain = buckets + hash[0];
	while (!(chain[last - hash[1]] & 1))
		last++;
	return (uint64_t)last + 1;
}

/* The trampoline of the function at an address of the process; 0 = there is none. */
static uint64_t trampoline_of(const struct funcpatch_module *library, uint64_t address)
{
	const struct plan *plan = &library->applied.plan;
	uint64_t wanted = address - library->applied.bias, at;
	uint64_t low = partition_point(plan->header->function_count, i,
				       plan->functions[i].address < wanted);

	if (low == plan->header->function_count || plan->functions[low].address != wanted)
		return 0;
	at = planapi_trampoline(plan, &plan->functions[low]);
	return at ? at + library->applied.bias + (uint64_t)library->applied.moved : 0;
}

static int protection_of(const struct tables *tables, uint64_t address)
{
	int protection = PROT_READ;

	for (unsigned i = 0; i < tables->segment_count; i++) {
		const ElfW(Phdr) *phdr = &tables->segments[i];
		uint64_t start = phdr->p_vaddr + tables->bias;

		if (address < start || address - start >= phdr->p_memsz)
			continue;
		if (phdr->p_type == PT_GNU_RELRO)
			return PROT_READ;
		if (phdr->p_type == PT_LOAD)
			protection = ((phdr->p_flags & PF_R) ? PROT_READ : 0) |
				     ((phdr->p_flags & PF_W) ? PROT_WRITE : 0) |
				     ((phdr->p_flags & PF_X) ? PROT_EXEC : 0);
	}
	return protection;
}

/* Write one word, in pages that may be read-only.  Tables may be in pages with code. */
static bool bind_put(const struct tables *tables, uint64_t address, uint64_t value)
{
	int protection = protection_of(tables, address);
	uint64_t page = address & ~(uint64_t)(PAGE - 1);
	uint64_t size = (address + 8 > page + PAGE ? 2 : 1) * (uint64_t)PAGE;

	if ((protection & (PROT_WRITE | PROT_EXEC)) == PROT_EXEC)
		return memory_learn() == 0 && memory_poke(address, &value, sizeof(value)) == 0;
	if (!(protection & PROT_WRITE) && raw_protect(page, size, protection | PROT_WRITE) != 0)
		return false;
	__atomic_store_n((uint64_t *)(uintptr_t)address, value, __ATOMIC_RELAXED);
	if (!(protection & PROT_WRITE))
		raw_protect(page, size, protection);
	return true;
}

/* Symbols that Kymo itself calls must be resolved before the library's symbol table is changed. */
static void bind_own(const struct tables *tables, const Elf64_Rela *relocation, uint64_t slot,
		     uint64_t value)
{
	const Elf64_Sym *symbol = &tables->symbols[ELF64_R_SYM(relocation->r_info)];
	void *function;

	if (ELF64_R_TYPE(relocation->r_info) != R_X86_64_JUMP_SLOT || value < tables->start ||
	    value >= tables->end || symbol->st_shndx != SHN_UNDEF)
		return;
	function = dlsym(RTLD_DEFAULT, tables->names + symbol->st_name);
	if (function)
		bind_put(tables, slot, (uint64_t)(uintptr_t)function);
}

static void bind_slots(const struct funcpatch_module *library, const struct tables *tables,
		       bool is_own)
{
	for (unsigned table = 0; table < 2; table++) {
		const Elf64_Rela *relocation = tables->relocations[table];
		uint64_t count = tables->relocation_bytes[table] / sizeof(*relocation);

		for (uint64_t i = 0; i < count; i++, relocation++) {
			unsigned type = ELF64_R_TYPE(relocation->r_info);
			uint64_t slot = relocation->r_offset + tables->bias, value, other;

			if ((type != R_X86_64_JUMP_SLOT && type != R_X86_64_GLOB_DAT &&
			     type != R_X86_64_64) ||
			    slot < tables->start || slot > tables->end - 8)
				continue;
			value = *(const uint64_t *)(uintptr_t)slot;
			other = is_own ? 0 : trampoline_of(library, value);
			if (other)
				bind_put(tables, slot, other);
			else if (is_own)
				bind_own(tables, relocation, slot, value);
		}
	}
}

static void bind_module(const struct modulescan_found *module, void *context)
{
	const struct binding *binding = context;
	struct tables tables;

	if (take_tables(module, &tables))
		bind_slots(binding->library, &tables, funcpatch_is_kymo(module->path));
}

static void change_symbols(const struct modulescan_found *module, void *context)
{
	struct binding *binding = context;
	struct tables tables;
	uint64_t count;

	if (module->start != binding->library->start || binding->is_done ||
	    !take_tables(module, &tables))
		return;
	count = bind_symbol_count(&tables);
	for (uint64_t i = 1; i < count; i++) {
		const Elf64_Sym *symbol = &tables.symbols[i];
		uint64_t other;

		if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || symbol->st_shndx == SHN_UNDEF ||
		    symbol->st_shndx == SHN_ABS)
			continue;
		other = trampoline_of(binding->library, symbol->st_value + tables.bias);
		if (other)
			bind_put(&tables, (uint64_t)(uintptr_t)&symbol->st_value,
				 other - tables.bias);
	}
	binding->is_done = true;
}

void funcpatch_bind(struct funcpatch_module *module)
{
	struct binding binding = {.library = module};

	modulescan(bind_module, &binding);
	modulescan(change_symbols, &binding);
	module->is_bound = true;
}
