/* Files whose stacks are walked by return addresses: by garbage collectors and runtimes with a JIT,
 * which know the return addresses of all calls.  These have to remain as compiled: no call-through,
 * and no relocated call. */
#include "patch/analyse/patchwalkers.h"

#include <string.h>

#include "patch/analyse/file/patchdynamic.h"
#include "patch/analyse/file/patchmodule.h"

#define LARGE_BYTES (1u << 20) /* runtimes without symbols are at least this large */

struct walker {
	const char *name;
	bool is_prefix;
	bool is_own; /* must be defined in the file: its importers are not walked */
};

/* V8 finds the frame below from the position of a C++ function's arguments, HotSpot and Mono
 * likewise; OCaml looks up every frame of its own. */
static const struct walker walkers[] = {
	{"_ZN2v8", true, false},	   {"_ZNK2v8", true, false},
	{"JNI_CreateJavaVM", false, true}, {"mono_jit_init", false, true},
	{"caml_call_gc", false, false},	   {"caml_garbage_collection", false, false},
	{"caml_alloc_small", true, false},
};

/* In V8's data, also without symbols. */
static const char mark[] = "JavaScript heap out of memory";

static bool is_walker(const char *name, bool is_own)
{
	for (size_t i = 0; i < sizeof(walkers) / sizeof(walkers[0]); i++) {
		const struct walker *walker = &walkers[i];
		size_t length;

		if (name[0] != walker->name[0] || (walker->is_own && !is_own))
			continue;
		length = strlen(walker->name) + !walker->is_prefix;
		if (strncmp(name, walker->name, length) == 0)
			return true;
	}
	return false;
}

static bool imports_walker(const struct patch_module *module)
{
	struct patch_dynamic dynamic;

	patchdynamic_read(module, &dynamic);
	for (uint64_t i = 0; i < dynamic.symbol_count; i++) {
		const Elf64_Sym *symbol = &dynamic.symbols[i];

		if (is_walker(patchmodule_text(dynamic.texts, dynamic.texts_size, symbol->st_name),
			      symbol->st_shndx != SHN_UNDEF))
			return true;
	}
	return false;
}

bool patchwalkers_has_any(const struct patch_module *module)
{
	for (size_t i = 0; i < module->function_count; i++)
		if (is_walker(module->functions[i].name, true))
			return true;
	return imports_walker(module) ||
	       (module->size >= LARGE_BYTES &&
		memmem(module->bytes, module->size, mark, sizeof(mark) - 1));
}
