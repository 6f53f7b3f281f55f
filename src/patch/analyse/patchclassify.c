/* Classifies the functions of a file before any of their code is read: recordable ones, parts of
 * others, stubs of the loader, start-up code. */
#include "patch/analyse/patchclassify.h"

#include <string.h>

#include "patch/analyse/file/patchdynamic.h"
#include "patch/analyse/file/patchframes.h"
#include "patch/analyse/file/patchmodule.h"
#include "patch/analyse/patchprocessor.h"
#include "patch/analyse/patchsweep.h"

static bool patchclassify_is_one_of(const char *name, const char *const *names)
{
	for (; *names; names++)
		if (strcmp(name, *names) == 0)
			return true;
	return false;
}

static bool is_of_the_start(const struct patch_module *module,
			    const struct patch_function *function,
			    const struct patch_dynamic *dynamic, const struct cfi_fde *fde)
{
	static const char *const names[] = {"_start",
					    "_init",
					    "_fini",
					    "frame_dummy",
					    "register_tm_clones",
					    "deregister_tm_clones",
					    "__do_global_dtors_aux",
					    "__do_global_ctors_aux",
					    "_dl_relocate_static_pie",
					    "_dl_start",
					    "_dl_start_user",
					    NULL};

	return (module->ehdr->e_entry && function->address == module->ehdr->e_entry) ||
	       (dynamic->init && function->address == dynamic->init) ||
	       (dynamic->fini && function->address == dynamic->fini) ||
	       (fde && fde->row.cfa == CFI_CFA_OUTERMOST) ||
	       patchclassify_is_one_of(function->name, names);
}

static bool is_cold(const char *name)
{
	const char *found = strstr(name, ".cold");

	return found && found != name && (found[5] == '\0' || found[5] == '.');
}

/* The linker describes lazy binding stubs by the position within each 16 bytes.  At the first one
 * two words are on the stack. */
static bool is_stubs(const struct patch_module *module, const struct cfi_fde *fde)
{
	struct cfi_row row;

	return fde->row.cfa == CFI_CFA_PLT ||
	       (!patchsweep_is_entry_row(&fde->row) &&
		cfi_find_in(&module->frames, fde, fde->end - 1, &row) && row.cfa == CFI_CFA_PLT);
}

static enum plan_reason reason_of(const struct patch_module *module,
				  const struct patch_function *function,
				  const struct patch_dynamic *dynamic)
{
	const struct cfi_fde *fde = patchframes_at(module, function->address);
	bool has_rule;

	if (is_of_the_start(module, function, dynamic, fde))
		return PLAN_STARTS_THE_PROGRAM;
	if (fde && is_stubs(module, fde))
		return PLAN_STUB;
	if (is_cold(function->name))
		return PLAN_PART;
	if (!fde || fde->is_signal)
		return PLAN_NO_FRAME_RULE;
	if (fde->start != function->address)
		return PLAN_OVERLAPPING;
	if (module->processor->is_entry(module, fde, &has_rule))
		return PLAN_FINE;
	return has_rule ? PLAN_PART : PLAN_NO_FRAME_RULE;
}

static void mark_stubs(struct patch_module *module)
{
	static const char *const names[] = {".plt", ".plt.sec", ".plt.got", ".plt.bnd", ".iplt"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		const Elf64_Shdr *section = patchmodule_section(module, names[i]);

		for (size_t at = 0; section && at < module->function_count; at++)
			if (module->functions[at].address - section->sh_addr < section->sh_size)
				module->functions[at].reason = PLAN_STUB;
	}
}

/* A function that begins within another one shares code with it. */
static void mark_overlapping(struct patch_module *module)
{
	struct patch_function *functions = module->functions, *outer = NULL;

	for (size_t i = 0; i < module->function_count; i++) {
		uint64_t end = functions[i].address + functions[i].size;

		if (outer && functions[i].address < outer->address + outer->size) {
			if (functions[i].reason == PLAN_FINE)
				functions[i].reason = PLAN_OVERLAPPING;
			module->sweep->notes[outer - functions] |= PATCH_SWEPT_SHARED;
		}
		if (!outer || end > outer->address + outer->size)
			outer = &functions[i];
	}
}

void patchclassify(struct patch_module *module)
{
	struct patch_dynamic dynamic;

	patchdynamic_read(module, &dynamic);
	for (size_t i = 0; i < module->function_count; i++) {
		struct patch_function *function = &module->functions[i];
		const struct cfi_fde *fde = patchframes_at(module, function->address);

		function->reason = reason_of(module, function, &dynamic);
		function->has_handlers = fde && fde->handlers != 0;
	}
	mark_stubs(module);
	mark_overlapping(module);
}
