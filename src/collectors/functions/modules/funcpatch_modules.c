/* Compares the loader's list with the table: what is new, what was unloaded. */
#include "collectors/functions/modules/funcpatch_modules.h"

#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/hashset.h"
#include "base/pages.h"
#include "collectors/functions/attach/funcpatch_debugger.h"
#include "collectors/functions/funcpatch.h"
#include "collectors/functions/funcpatch_settings.h"
#include "collectors/functions/modules/funcpatch_api.h"
#include "collectors/functions/modules/funcpatch_apply.h"
#include "collectors/functions/modules/funcpatch_found.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/modules/funcpatch_plan.h"
#include "collectors/functions/modules/funcpatch_skipped.h"
#include "collectors/functions/threads/funcpatch_threads.h"
#include "patch/apply/patchapply.h"
#include "patch/rewrite/rewritehead.h"
#include "platform/modulescan.h"
#include "platform/readable.h"

uint64_t funcpatch_own_start, funcpatch_own_end;

struct walk {
	struct funcpatch_found *found;
	size_t count;
	uint64_t program; /* an address in it */
	bool is_seen[FUNCPATCH_MODULES_MAX];
};

static bool modules_is_known(struct walk *walk, uint64_t start, uint64_t path_hash)
{
	for (uint32_t i = 0; i < funcpatch_module_count; i++) {
		const struct funcpatch_module *module = &funcpatch_modules[i];

		if (!module->is_loaded || module->start != start || module->path_hash != path_hash)
			continue;
		walk->is_seen[i] = true;
		return true;
	}
	return false;
}

/* The segment that was added to a rewritten file is its last.  Its functions were chosen then.
 * Another thread may be unloading it: the kernel reads it. */
static bool modules_read_last_segment(const struct modulescan_found *module,
				      struct funcpatch_found *found)
{
	const ElfW(Phdr) *last = NULL;
	char magic[sizeof(REWRITE_MAGIC) - 1];

	for (unsigned i = 0; i < module->segment_count; i++)
		if (module->segments[i].p_type == PT_LOAD &&
		    (!last || module->segments[i].p_vaddr > last->p_vaddr))
			last = &module->segments[i];
	if (!last || last->p_memsz < sizeof(struct rewrite_head) ||
	    last->p_vaddr + module->bias + last->p_memsz > module->end ||
	    !readable_copy(last->p_vaddr + module->bias, magic, sizeof(magic)) ||
	    memcmp(magic, REWRITE_MAGIC, sizeof(magic)) != 0)
		return false;
	found->last_segment = last->p_vaddr + module->bias;
	found->last_size = last->p_memsz;
	return true;
}

static void modules_take(const struct modulescan_found *module, void *context)
{
	struct walk *walk = context;
	uint64_t own = (uint64_t)(uintptr_t)&funcpatch_own_start;
	uint64_t hash = hash_bytes(HASH_SEED, module->path, strlen(module->path));
	bool is_program = walk->program >= module->start && walk->program < module->end;
	struct funcpatch_found *found = &walk->found[walk->count];

	if (own >= module->start && own < module->end) {
		funcpatch_own_start = module->start;
		funcpatch_own_end = module->end;
	}
	if (modules_is_known(walk, module->start, hash) || funcpatch_is_skipped(hash) ||
	    walk->count == FUNCPATCH_MODULES_MAX || strlen(module->path) >= sizeof(found->path) ||
	    funcpatch_is_kymo(module->path))
		return;
	found->last_segment = 0;
	if (!modules_read_last_segment(module, found) &&
	    (!funcpatch_settings.has_functions || (!is_program && !funcpatch_settings.has_scope)))
		return;
	funcpatch_keep_found(found, module, hash);
	found->is_program = is_program;
	walk->count++;
}

/* Modules that were not seen have been unloaded: the kernel may reuse their addresses. */
static void forget_unloaded(const struct walk *walk, uint32_t count)
{
	uint64_t before;

	for (uint32_t i = 0; i < count; i++) {
		struct funcpatch_module *module = &funcpatch_modules[i];

		/* Addresses of trampolines may have been stored anywhere. */
		if (!module->is_loaded || walk->is_seen[i] || module->is_api)
			continue;
		funcpatch_lock(&before);
		module->is_loaded = false;
		funcpatch_has_unloaded = true;
		funcpatch_debugger_remove(module);
		if (!module->is_rewritten)
			patchapply_unmap(&module->applied);
		funcpatch_plan_release(module);
		funcpatch_unlock(before);
	}
}

/* Skip from now on those that were not instrumented. */
static void skip_others(struct walk *walk)
{
	for (size_t i = 0; i < walk->count; i++)
		if (!modules_is_known(walk, walk->found[i].start, walk->found[i].path_hash))
			funcpatch_skip(walk->found[i].path_hash);
}

void funcpatch_modules_scan(void)
{
	size_t size = FUNCPATCH_MODULES_MAX * sizeof(struct funcpatch_found);
	struct walk *walk = pages_new(sizeof(*walk) + size);
	uint32_t count = funcpatch_module_count;

	if (!walk)
		return;
	walk->found = (struct funcpatch_found *)(walk + 1);
	walk->program = getauxval(AT_PHDR);
	if (modulescan(modules_take, walk) == 0) {
		forget_unloaded(walk, count);
		funcpatch_apply(walk->found, walk->count);
		skip_others(walk);
	}
	pages_free(walk, sizeof(*walk) + size);
	funcpatch_api_scan();
}
