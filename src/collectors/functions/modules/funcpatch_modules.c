/* The modules that are instrumented: which they are, their ids, and what the recording is told
 * of them.
 *
 * A module keeps its ids for the life of the process, also when it is unloaded and loaded
 * again.  Nothing of a module that was unloaded is used again but its ids. */
#include "collectors/functions/modules/funcpatch_module.h"

#include <link.h>
#include <string.h>
#include <sys/auxv.h>

#include "base/basename.h"
#include "base/hashset.h"
#include "base/pages.h"
#include "collectors/functions/attach/funcpatch_debugger.h"
#include "collectors/functions/counts/funcpatch_counts.h"
#include "collectors/functions/funcpatch.h"
#include "collectors/functions/funcpatch_settings.h"
#include "collectors/functions/modules/funcpatch_api.h"
#include "collectors/functions/modules/funcpatch_apply.h"
#include "collectors/functions/modules/funcpatch_passed.h"
#include "collectors/functions/records/funcpatch_cost.h"
#include "collectors/functions/threads/funcpatch_switching.h"
#include "collectors/functions/threads/funcpatch_shadow.h"
#include "collectors/functions/threads/funcpatch_threads.h"
#include "patch/rewrite/rewritehead.h"
#include "platform/modulescan.h"
#include "platform/readable.h"
#include "platform/ticks.h"
#include "runtime/control/sampling.h"

struct funcpatch_module funcpatch_modules[FUNCPATCH_MODULES_MAX];
bool funcpatch_has_unloaded;
uint32_t funcpatch_module_count;
uint64_t funcpatch_own_start, funcpatch_own_end;

static uint32_t next_id = FUNCPATCH_ID_FIRST;
static bool is_switched_off = true;

struct look {
	struct funcpatch_found *found;
	size_t count;
	uint64_t program; /* an address in it */
	bool is_seen[FUNCPATCH_MODULES_MAX];
};

static bool modules_begins_with(const char *text, const char *start)
{
	return strncmp(text, start, strlen(start)) == 0;
}

/* Kymo's own libraries, and the loader, which runs before anything can be served. */
bool funcpatch_is_ours(const char *path)
{
	const char *name = path_base_name(path);

	return modules_begins_with(name, "libkymo") || modules_begins_with(name, "ld-linux") ||
	       modules_begins_with(name, "ld-musl") || modules_begins_with(name, "ld-2.");
}

static bool modules_is_known(struct look *look, uint64_t start, uint64_t path_hash)
{
	for (uint32_t i = 0; i < funcpatch_module_count; i++) {
		const struct funcpatch_module *module = &funcpatch_modules[i];

		if (!module->is_loaded || module->start != start || module->path_hash != path_hash)
			continue;
		look->is_seen[i] = true;
		return true;
	}
	return false;
}

static uint8_t modules_digit(char c)
{
	return (uint8_t)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static void modules_keep_build_id(struct funcpatch_found *found, const char *digits)
{
	uint32_t size = 0;

	for (; digits && digits[0] && digits[1] && size < PLAN_BUILD_ID_MAX; digits += 2)
		found->build_id[size++] =
			(uint8_t)(modules_digit(digits[0]) << 4 | modules_digit(digits[1]));
	found->build_id_size = size;
}

void funcpatch_keep_found(struct funcpatch_found *found, const struct modulescan_found *module,
			  uint64_t hash)
{
	memcpy(found->path, module->path, strlen(module->path) + 1);
	modules_keep_build_id(found, module->build_id);
	found->path_hash = hash;
	found->start = module->start;
	found->end = module->end;
	found->bias = module->bias;
}

/* The segment that a rewritten file has got is its last.  What was rewritten was chosen then.
 * Another thread may be unloading what is looked at: the kernel reads it. */
static bool look_at_last(const struct modulescan_found *module, struct funcpatch_found *found)
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
	struct look *look = context;
	uint64_t own = (uint64_t)(uintptr_t)&next_id;
	uint64_t hash = hash_bytes(HASH_SEED, module->path, strlen(module->path));
	bool is_program = look->program >= module->start && look->program < module->end;
	struct funcpatch_found *found = &look->found[look->count];

	if (own >= module->start && own < module->end) {
		funcpatch_own_start = module->start;
		funcpatch_own_end = module->end;
	}
	if (modules_is_known(look, module->start, hash) || funcpatch_is_passed(hash) ||
	    look->count == FUNCPATCH_MODULES_MAX || strlen(module->path) >= sizeof(found->path) ||
	    funcpatch_is_ours(module->path))
		return;
	found->last_segment = 0;
	if (!look_at_last(module, found) &&
	    (!funcpatch_settings.has_functions || (!is_program && !funcpatch_settings.has_scope)))
		return;
	funcpatch_keep_found(found, module, hash);
	found->is_program = is_program;
	look->count++;
}

/* What was not seen has been unloaded: the kernel may give its place to anyone. */
static void forget_unloaded(const struct look *look, uint32_t count)
{
	uint64_t before;

	for (uint32_t i = 0; i < count; i++) {
		struct funcpatch_module *module = &funcpatch_modules[i];

		/* Addresses of trampolines may have been kept anywhere. */
		if (!module->is_loaded || look->is_seen[i] || module->is_api)
			continue;
		funcpatch_hold(&before);
		module->is_loaded = false;
		funcpatch_has_unloaded = true;
		funcpatch_debugger_remove(module);
		if (!module->is_rewritten)
			patchapply_unmap(&module->applied);
		funcpatch_plan_release(module);
		funcpatch_let_go(before);
	}
}

/* Those of which nothing came. */
static void pass_others(struct look *look)
{
	for (size_t i = 0; i < look->count; i++)
		if (!modules_is_known(look, look->found[i].start, look->found[i].path_hash))
			funcpatch_pass(look->found[i].path_hash);
}

void funcpatch_modules_look(void)
{
	size_t size = FUNCPATCH_MODULES_MAX * sizeof(struct funcpatch_found);
	struct look *look = pages_new(sizeof(*look) + size);
	uint32_t count = funcpatch_module_count;

	if (!look)
		return;
	look->found = (struct funcpatch_found *)(look + 1);
	look->program = getauxval(AT_PHDR);
	if (modulescan(modules_take, look) == 0) {
		forget_unloaded(look, count);
		funcpatch_apply(look->found, look->count);
		pass_others(look);
	}
	pages_free(look, sizeof(*look) + size);
	funcpatch_api_look();
}

static uint32_t behind(uint32_t id)
{
	uint32_t pages = (id + FUNCPATCH_IDS_PAGE - 1) / FUNCPATCH_IDS_PAGE;

	return pages * FUNCPATCH_IDS_PAGE + FUNCPATCH_ID_FIRST;
}

static struct funcpatch_module *unloaded(uint64_t path_hash, uint32_t count)
{
	for (uint32_t i = 0; i < funcpatch_module_count; i++) {
		struct funcpatch_module *module = &funcpatch_modules[i];

		if (!module->is_loaded && module->path_hash == path_hash && module->count == count)
			return module;
	}
	return NULL;
}

struct funcpatch_module *funcpatch_module_place(const struct funcpatch_found *found, uint32_t count,
						bool *is_new_out)
{
	struct funcpatch_module *module = unloaded(found->path_hash, count);

	*is_new_out = module == NULL;
	if (module)
		return module;
	if (funcpatch_module_count == FUNCPATCH_MODULES_MAX || count > PATCH_ID_MAX - next_id)
		return NULL;
	module = &funcpatch_modules[funcpatch_module_count];
	module->first_id = next_id;
	module->count = count;
	return module;
}

void funcpatch_module_add(struct funcpatch_module *module, bool is_new)
{
	module->is_loaded = true;
	if (!is_new)
		return;
	next_id = behind(module->first_id + module->count);
	__atomic_store_n(&funcpatch_module_count, funcpatch_module_count + 1, __ATOMIC_RELEASE);
}

bool funcpatch_is_switched_off(void)
{
	return is_switched_off;
}

void funcpatch_switch(bool is_off)
{
	is_switched_off = is_off;
	funcpatch_gate_turn(is_off);
	for (uint32_t i = 0; i < funcpatch_module_count; i++)
		if (funcpatch_modules[i].is_loaded && !funcpatch_modules[i].has_switch)
			__atomic_store_n(&funcpatch_modules[i].applied.gate->is_off, is_off,
					 __ATOMIC_RELAXED);
}

static uint32_t modules_flags_of(const struct funcpatch_module *module, uint64_t index)
{
	const struct plan_function *function = &module->applied.plan.functions[index];
	bool is_called = function->way == PLAN_WAY_CALL && funcpatch_shadow_start() != UINT64_MAX;
	uint32_t flags = module->applied.is_written[index] ? KYMO_FUNCTION_TAKEN : 0;

	if (is_called)
		flags |= KYMO_FUNCTION_THROUGH;
	else if (function->way != PLAN_WAY_EXITS && function->way != PLAN_WAY_HOOK)
		flags |= KYMO_FUNCTION_NO_EXIT;
	if (function->flags & PLAN_FUNCTION_TAIL_CALLS)
		flags |= KYMO_FUNCTION_TAIL_CALLS;
	if (function->flags & PLAN_FUNCTION_LOOP)
		flags |= KYMO_FUNCTION_LOOP;
	return flags;
}

static void modules_fill_table(const struct funcpatch_module *module,
			       struct kymo_function_table *table)
{
	const struct plan *plan = &module->applied.plan;
	struct kymo_function_place *place = (struct kymo_function_place *)(table + 1);
	struct kymo_function_code *code = (struct kymo_function_code *)(place + module->count);
	uint64_t start = plan->header->image_start;

	table->start = start + module->applied.bias;
	table->ticks = ticks_now();
	table->first_id = module->first_id;
	table->count = module->count;
	table->cost = funcpatch_settings.cost;
	table->taken = (uint32_t)module->taken;
	table->cost_ps = funcpatch_cost_ps();
	table->inside_ps = (uint32_t)funcpatch_inside_ps();
	if (funcpatch_settings.cost == PATCH_COST_COUNTS)
		table->timing_ticks = funcpatch_counts_timing();
	table->code = module->applied.code;
	table->code_size = (uint32_t)plan->header->code_size;
	for (uint32_t i = 0; i < module->count; i++) {
		uint32_t size = plan->functions[i].size;

		if (size > KYMO_FUNCTION_SIZE_MASK)
			size = KYMO_FUNCTION_SIZE_MASK;
		place[i].offset = (uint32_t)(plan->functions[i].address - start);
		place[i].size_flags = size | modules_flags_of(module, i);
	}
	for (uint64_t i = 0; i < plan->header->owner_count; i++) {
		uint32_t function = plan->owners[i].function;

		code[i].offset = plan->owners[i].offset;
		code[i].id = function < module->count ? module->first_id + function : UINT32_MAX;
	}
}

static void modules_tell(struct funcpatch_module *module)
{
	uint64_t size =
		sizeof(struct kymo_function_table) +
		module->count * sizeof(struct kymo_function_place) +
		module->applied.plan.header->owner_count * sizeof(struct kymo_function_code);
	struct kymo_chunk *chunk = kymo_sample_table(KYMO_CHUNK_FUNCTIONS, size);

	if (!chunk)
		return;
	modules_fill_table(module, (struct kymo_function_table *)(chunk + 1));
	__atomic_store_n(&chunk->used, size, __ATOMIC_RELEASE);
	module->told_start = module->start;
}

static bool has_told_costs; /* to the recording */

void funcpatch_modules_tell(void)
{
	for (uint32_t i = 0; i < funcpatch_module_count; i++) {
		if (!funcpatch_modules[i].is_loaded ||
		    funcpatch_modules[i].told_start == funcpatch_modules[i].start)
			continue;
		modules_tell(&funcpatch_modules[i]);
		if (!has_told_costs)
			funcpatch_cost_note();
		has_told_costs = true;
	}
}

void funcpatch_modules_forget(void)
{
	has_told_costs = false;
	for (uint32_t i = 0; i < funcpatch_module_count; i++)
		funcpatch_modules[i].told_start = 0;
}
