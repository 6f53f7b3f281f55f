/* Calls into libraries through the functions that they export, KYMO_FUNCTIONS_API: which
 * libraries these are, and their trampolines.  Their text is not changed: funcpatch_bind.c
 * redirects bindings of the functions to the trampolines. */
#include "collectors/functions/modules/funcpatch_api.h"

#include <string.h>
#include <sys/auxv.h>

#include "base/basename.h"
#include "base/hashset.h"
#include "base/pages.h"
#include "base/text/listitem.h"
#include "collectors/functions/funcpatch_settings.h"
#include "collectors/functions/modules/funcpatch_apply.h"
#include "collectors/functions/modules/funcpatch_bind.h"
#include "collectors/functions/modules/funcpatch_found.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/modules/funcpatch_skipped.h"
#include "patch/plan/plan.h"
#include "patch/read/planread_api.h"
#include "platform/modulescan.h"

#define FOUND_MAX   64u
#define LIBRARY_MAX 128u

struct request { /* LIB:REGEX */
	char library[LIBRARY_MAX];
	char pattern[FUNCPATCH_PATTERN_MAX];
};

struct walk {
	struct request request;
	struct funcpatch_found found[FOUND_MAX];
	size_t count;
};

static bool take_request(const char *item, size_t length, struct request *out)
{
	const char *colon = memchr(item, ':', length);
	size_t library = colon ? (size_t)(colon - item) : length;
	size_t pattern = colon ? length - library - 1 : 0;

	if (library == 0 || library >= sizeof(out->library) || pattern >= sizeof(out->pattern))
		return false;
	memcpy(out->library, item, library);
	out->library[library] = '\0';
	memcpy(out->pattern, item + length - pattern, pattern);
	out->pattern[pattern] = '\0';
	return true;
}

/* z, libz and libz.so.1 all name the library libz.so.1.2.13. */
static bool api_is_library(const char *path, const char *library)
{
	const char *name = path_base_name(path);
	size_t length = strlen(library);

	if (strncmp(name, library, length) != 0 && strncmp(name, "lib", 3) == 0)
		name += 3;
	return strncmp(name, library, length) == 0 &&
	       (name[length] == '\0' || name[length] == '.' || name[length] == '-');
}

/* An address of a module, from a value that the loader may have relocated; 0 = it is none. */
static uint64_t api_place(const struct modulescan_found *module, uint64_t value)
{
	uint64_t address =
		value >= module->start && value < module->end ? value : value + module->bias;

	return address >= module->start && address < module->end ? address : 0;
}

/* The soname of a library, from memory; false: none that is terminated.  The file of
 * libopenblas.so.0 may be called libopenblasp-r0.3.21.so. */
static bool take_own_name(const struct modulescan_found *module, char name[LIBRARY_MAX])
{
	uint64_t names = 0, offset = 0, at;

	for (unsigned i = 0; i < module->segment_count; i++) {
		const ElfW(Phdr) *phdr = &module->segments[i];
		const ElfW(Dyn) *entry =
			(const void *)(uintptr_t)api_place(module, phdr->p_vaddr + module->bias);
		uint64_t room = entry ? module->end - (uint64_t)(uintptr_t)entry : 0;
		uint64_t count = phdr->p_memsz < room ? phdr->p_memsz : room;

		if (phdr->p_type != PT_DYNAMIC)
			continue;
		for (count /= sizeof(*entry); count > 0 && entry->d_tag != DT_NULL; count--) {
			if (entry->d_tag == DT_STRTAB)
				names = api_place(module, entry->d_un.d_ptr);
			else if (entry->d_tag == DT_SONAME)
				offset = entry->d_un.d_val;
			entry++;
		}
	}
	if (!names || !offset || offset >= module->end - names)
		return false;
	at = names + offset;
	for (size_t i = 0; i < LIBRARY_MAX && at + i < module->end; i++) {
		name[i] = ((const char *)(uintptr_t)at)[i];
		if (name[i] == '\0')
			return true;
	}
	return false;
}

static bool is_meant(const struct modulescan_found *module, const char *library)
{
	char name[LIBRARY_MAX];

	return api_is_library(module->path, library) ||
	       (take_own_name(module, name) && api_is_library(name, library));
}

static bool api_is_known(uint64_t start, uint64_t hash)
{
	for (uint32_t i = 0; i < funcpatch_module_count; i++) {
		struct funcpatch_module *module = &funcpatch_modules[i];

		if (!module->is_api || module->start != start || module->path_hash != hash)
			continue;
		module->is_present = true;
		return true;
	}
	return false;
}

static void api_take(const struct modulescan_found *module, void *context)
{
	struct walk *walk = context;
	struct funcpatch_found *found = &walk->found[walk->count];
	uint64_t program = getauxval(AT_PHDR);
	uint64_t hash =
		hash_bytes(HASH_SEED, walk->request.pattern, strlen(walk->request.pattern) + 1);

	if (program >= module->start && program < module->end)
		return;
	if (walk->count == FOUND_MAX || !is_meant(module, walk->request.library) ||
	    strlen(module->path) >= sizeof(found->path) || funcpatch_is_kymo(module->path))
		return;
	/* The module may also be instrumented: this is a separate entry, with its own ids. */
	hash = hash_bytes(hash, module->path, strlen(module->path));
	if (api_is_known(module->start, hash) || funcpatch_is_skipped(hash))
		return;
	funcpatch_keep_found(found, module, hash);
	found->is_program = false;
	found->last_segment = 0;
	found->api = walk->request.pattern;
	walk->count++;
}

static void api_instrument(struct walk *walk)
{
	walk->count = 0;
	if (modulescan(api_take, walk) != 0)
		return;
	for (size_t i = 0; i < walk->count; i++) {
		const struct funcpatch_found *found = &walk->found[i];

		funcpatch_apply(&walk->found[i], 1);
		if (!api_is_known(found->start, found->path_hash))
			funcpatch_skip(found->path_hash);
	}
}

void funcpatch_api_scan(void)
{
	const char *rest = funcpatch_settings.api, *item;
	struct walk *walk;
	size_t length;

	if (!rest || !rest[0])
		return;
	walk = pages_new(sizeof(*walk));
	if (!walk)
		return;
	for (uint32_t i = 0; i < funcpatch_module_count; i++)
		funcpatch_modules[i].is_present = false;
	while (listitem_next(&rest, &item, &length))
		if (take_request(item, length, &walk->request))
			api_instrument(walk);
	pages_free(walk, sizeof(*walk));
	for (uint32_t i = 0; i < funcpatch_module_count; i++) {
		struct funcpatch_module *module = &funcpatch_modules[i];

		if (!module->is_present)
			module->is_bound =
				false; /* its tables are unchanged when it is loaded again */
		else if (!module->is_bound)
			funcpatch_bind(module);
	}
}

void funcpatch_api_mark(struct funcpatch_module *module)
{
	const struct plan *plan = &module->applied.plan;

	module->is_present = true;
	for (uint32_t i = 0; i < module->count; i++) {
		module->applied.is_written[i] = planapi_trampoline(plan, &plan->functions[i]) != 0;
		module->taken += module->applied.is_written[i];
	}
}
