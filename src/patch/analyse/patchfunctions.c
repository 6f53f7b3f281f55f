/* The functions of a file, from its symbol tables and its unwind tables. Stripped files have only
 * the latter. */
#include "patch/analyse/patchfunctions.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "patch/analyse/file/patchdynamic.h"
#include "patch/analyse/file/patchframes.h"
#include "patch/analyse/file/patchimports.h"
#include "patch/analyse/file/patchmodule.h"
#include "patch/analyse/patchclassify.h"
#include "patch/analyse/patchindex.h"
#include "patch/analyse/patchprocessor.h"
#include "patch/analyse/patchsweep.h"

#define PILES_MAX 8u /* limit of the functions' total size, in multiples of the file's */

struct finding {
	struct patch_module *module;
	struct problem *problem;
	size_t capacity;
	bool is_short_of_memory;
};

static void patchfunctions_add_function(struct finding *finding, uint64_t address, uint64_t size,
					const char *name, uint32_t flags)
{
	struct patch_module *module = finding->module;
	struct patch_function *functions =
		array_grow(module->functions, &finding->capacity, module->function_count + 1,
			   sizeof(*functions));
	uint64_t left = patchmodule_left(module, address);

	if (!functions) {
		finding->is_short_of_memory = true;
		return;
	}
	module->functions = functions;
	functions[module->function_count++] =
		(struct patch_function){.address = address,
					.size = size < left ? size : left,
					.name = name,
					.flags = flags};
}

static void add_symbol(struct finding *finding, const Elf64_Sym *symbol, const char *name,
		       uint32_t flags)
{
	unsigned type = ELF64_ST_TYPE(symbol->st_info), bind = ELF64_ST_BIND(symbol->st_info);
	unsigned visibility = ELF64_ST_VISIBILITY(symbol->st_other);

	if ((type != STT_FUNC && type != STT_GNU_IFUNC) || symbol->st_shndx == SHN_UNDEF ||
	    !patchmodule_is_code(finding->module, symbol->st_value))
		return;
	if (*name)
		flags |= PLAN_FUNCTION_NAMED;
	if (type == STT_GNU_IFUNC)
		flags |= PLAN_FUNCTION_IFUNC;
	if (bind == STB_WEAK)
		flags |= PLAN_FUNCTION_WEAK;
	else if (bind != STB_LOCAL)
		flags |= PLAN_FUNCTION_GLOBAL;
	if (visibility == STV_HIDDEN || visibility == STV_INTERNAL)
		flags |= PLAN_FUNCTION_HIDDEN;
	else if (visibility == STV_PROTECTED)
		flags |= PLAN_FUNCTION_PROTECTED;
	patchfunctions_add_function(finding, symbol->st_value, symbol->st_size, name, flags);
}

static void patchfunctions_add_table(struct finding *finding, const Elf64_Shdr *sections,
				     size_t section_count, const Elf64_Shdr *table)
{
	const struct patch_module *module = finding->module;
	const unsigned char *bytes = patchmodule_contents(module, table);
	const char *texts = NULL;
	uint64_t texts_size = 0;

	if (!bytes || (uintptr_t)bytes % 8 != 0)
		return;
	if (table->sh_link < section_count) {
		texts = (const char *)patchmodule_contents(module, &sections[table->sh_link]);
		texts_size = texts ? sections[table->sh_link].sh_size : 0;
	}
	for (uint64_t i = 1; i < table->sh_size / sizeof(Elf64_Sym); i++) {
		const Elf64_Sym *symbol = (const Elf64_Sym *)bytes + i;

		add_symbol(finding, symbol, patchmodule_text(texts, texts_size, symbol->st_name),
			   0);
	}
}

static void add_symbols(struct finding *finding)
{
	struct patch_dynamic dynamic;
	size_t count;
	const Elf64_Shdr *sections = patchmodule_sections(finding->module, &count);

	for (size_t i = 0; sections && i < count; i++)
		if (sections[i].sh_type == SHT_SYMTAB)
			patchfunctions_add_table(finding, sections, count, &sections[i]);
	patchdynamic_read(finding->module, &dynamic);
	for (uint64_t i = 1; i < dynamic.symbol_count; i++)
		add_symbol(finding, &dynamic.symbols[i],
			   patchmodule_text(dynamic.texts, dynamic.texts_size,
					    dynamic.symbols[i].st_name),
			   PLAN_FUNCTION_DYNAMIC);
}

static void patchfunctions_add_fdes(struct finding *finding)
{
	const struct patch_sweep *sweep = finding->module->sweep;

	for (size_t i = 0; i < sweep->fde_count; i++)
		patchfunctions_add_function(finding, sweep->fdes[i].start,
					    sweep->fdes[i].end - sweep->fdes[i].start, "", 0);
}

/* Of several names at one address users see the one with the fewest leading underscores. */
static int patchfunctions_by_name(const char *left, const char *right)
{
	size_t left_lead, right_lead;

	if (*left == '\0' || *right == '\0')
		return (*left == '\0') - (*right == '\0');
	left_lead = strspn(left, "_");
	right_lead = strspn(right, "_");
	if (left_lead != right_lead)
		return left_lead < right_lead ? -1 : 1;
	return strcmp(left, right);
}

static int patchfunctions_by_address(const void *left, const void *right)
{
	const struct patch_function *a = left, *b = right;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	return patchfunctions_by_name(a->name, b->name);
}

static void patchfunctions_merge(struct patch_function *kept, const struct patch_function *other)
{
	bool is_symbol = other->flags & PLAN_FUNCTION_NAMED;

	if (kept->size == 0 || (is_symbol && other->size > kept->size))
		kept->size = other->size;
	kept->flags |=
		other->flags & (PLAN_FUNCTION_GLOBAL | PLAN_FUNCTION_DYNAMIC | PLAN_FUNCTION_IFUNC);
	if (kept->flags & PLAN_FUNCTION_GLOBAL)
		kept->flags &= ~(PLAN_FUNCTION_WEAK);
}

static void merge_same(struct patch_module *module)
{
	struct patch_function *functions = module->functions;
	size_t count = 0;

	if (module->function_count == 0)
		return;
	qsort(functions, module->function_count, sizeof(*functions), patchfunctions_by_address);
	for (size_t i = 0; i < module->function_count; i++)
		if (count > 0 && functions[count - 1].address == functions[i].address)
			patchfunctions_merge(&functions[count - 1], &functions[i]);
		else
			functions[count++] = functions[i];
	module->function_count = count;
}

/* Frame descriptions without a symbol that begin within a named function are part of it. */
static void drop_inner_fragments(struct patch_module *module)
{
	struct patch_function *functions = module->functions;
	uint64_t end = 0;
	size_t count = 0;

	for (size_t i = 0; i < module->function_count; i++) {
		bool is_named = functions[i].flags & PLAN_FUNCTION_NAMED;

		if (!is_named && functions[i].address < end)
			continue;
		if (is_named && functions[i].address + functions[i].size > end)
			end = functions[i].address + functions[i].size;
		functions[count++] = functions[i];
	}
	module->function_count = count;
}

/* Where the code of a function without a size ends at the latest: with its section or segment. */
static uint64_t patchfunctions_size_limit(const struct patch_module *module, uint64_t address)
{
	uint64_t end = address + patchmodule_left(module, address);
	size_t count;
	const Elf64_Shdr *sections = patchmodule_sections(module, &count);

	for (size_t i = 0; sections && i < count; i++)
		if (sections[i].sh_flags & SHF_EXECINSTR && address >= sections[i].sh_addr &&
		    address - sections[i].sh_addr < sections[i].sh_size &&
		    sections[i].sh_addr + sections[i].sh_size < end)
			end = sections[i].sh_addr + sections[i].sh_size;
	return end;
}

static void find_sizes(struct patch_module *module)
{
	for (size_t i = 0; i < module->function_count; i++) {
		struct patch_function *function = &module->functions[i];
		const struct cfi_fde *fde = patchframes_at(module, function->address);
		uint64_t end;

		if (function->size != 0)
			continue;
		end = fde ? fde->end : patchfunctions_size_limit(module, function->address);
		if (i + 1 < module->function_count && module->functions[i + 1].address < end)
			end = module->functions[i + 1].address;
		function->size = end - function->address;
	}
}

/* Files in which all functions overlap take forever and are malicious. */
static bool is_piled_up(const struct patch_module *module)
{
	const struct patch_sweep *sweep = module->sweep;
	uint64_t functions = 0, fdes = 0;

	for (size_t i = 0; i < module->function_count; i++)
		functions += module->functions[i].size;
	for (size_t i = 0; i < sweep->fde_count; i++)
		fdes += sweep->fdes[i].end - sweep->fdes[i].start;
	return functions / PILES_MAX > module->size || fdes / PILES_MAX > module->size;
}

enum kymo_status patchfunctions_find(struct patch_module *module, struct problem *problem)
{
	struct finding finding = {.module = module, .problem = problem};

	module->sweep = calloc(1, sizeof(*module->sweep));
	if (!module->sweep || !patchframes_read(module))
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	add_symbols(&finding);
	patchfunctions_add_fdes(&finding);
	merge_same(module);
	drop_inner_fragments(module);
	find_sizes(module);
	module->sweep->notes = calloc(module->function_count + 1, sizeof(*module->sweep->notes));
	if (finding.is_short_of_memory || !module->sweep->notes ||
	    !patchindex_make(&module->sweep->functions, module->functions, module->function_count,
			     sizeof(*module->functions)))
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	if (is_piled_up(module))
		return problem_set(problem, KYMO_FORMAT,
				   "cannot instrument '%s': it is damaged: its functions overlap",
				   module->path);
	patchclassify(module);
	return patchimports_read(module, problem);
}
