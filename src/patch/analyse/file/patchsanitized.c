/* Detects programs built with a sanitizer that follows frame pointers.  No function of such a
 * program is called through (funcpatch_sanitizer.c), so that its plan is known before it starts. */
#include "patch/analyse/file/patchsanitized.h"

#include <string.h>

#include "patch/analyse/file/patchdynamic.h"
#include "patch/analyse/file/patchmodule.h"
#include "patch/plan/planmake.h"

/* prefixes of the libraries' names: "libasan.so.8", "libclang_rt.asan-x86_64.so" */
static const char *const libraries[] = {
	"libasan.",	    "libhwasan.",	  "libtsan.",	      "liblsan.",
	"libclang_rt.asan", "libclang_rt.hwasan", "libclang_rt.tsan", "libclang_rt.lsan"};
static const char *const symbols[] = {"__asan_init", "__hwasan_init", "__msan_init", "__tsan_init",
				      "__lsan_do_leak_check"};

static bool needs_library(const struct patch_module *module, const struct patch_dynamic *dynamic,
			  const Elf64_Phdr *header)
{
	for (uint64_t at = 0; at < header->p_filesz; at += sizeof(Elf64_Dyn)) {
		const unsigned char *bytes =
			patchmodule_at(module, header->p_vaddr + at, sizeof(Elf64_Dyn));
		const char *name;
		Elf64_Dyn entry;

		if (!bytes)
			return false;
		memcpy(&entry, bytes, sizeof(entry));
		if (entry.d_tag == DT_NULL)
			return false;
		if (entry.d_tag != DT_NEEDED)
			continue;
		name = patchmodule_text(dynamic->texts, dynamic->texts_size, entry.d_un.d_val);
		for (size_t i = 0; i < sizeof(libraries) / sizeof(libraries[0]); i++)
			if (strncmp(name, libraries[i], strlen(libraries[i])) == 0)
				return true;
	}
	return false;
}

/* The symbol is defined or required.  A weak reference proves nothing. */
static bool has_symbol(const struct patch_dynamic *dynamic)
{
	for (uint64_t i = 0; i < dynamic->symbol_count; i++) {
		const Elf64_Sym *symbol = &dynamic->symbols[i];
		const char *name =
			patchmodule_text(dynamic->texts, dynamic->texts_size, symbol->st_name);

		if (name[0] != '_' ||
		    (symbol->st_shndx == SHN_UNDEF && ELF64_ST_BIND(symbol->st_info) == STB_WEAK))
			continue;
		for (size_t at = 0; at < sizeof(symbols) / sizeof(symbols[0]); at++)
			if (strcmp(name, symbols[at]) == 0)
				return true;
	}
	return false;
}

bool patchsanitized_is(const char *path)
{
	struct patch_dynamic dynamic;
	struct patch_module *module;
	struct problem problem;
	bool is_sanitized;

	if (patchmodule_open(path, &module, &problem) != KYMO_OK)
		return false;
	patchdynamic_read(module, &dynamic);
	is_sanitized = has_symbol(&dynamic);
	for (size_t i = 0; i < module->ehdr->e_phnum && !is_sanitized; i++) {
		const Elf64_Phdr *header = patchmodule_header(module, i);

		is_sanitized =
			header->p_type == PT_DYNAMIC && needs_library(module, &dynamic, header);
	}
	patchmodule_close(module);
	return is_sanitized;
}
