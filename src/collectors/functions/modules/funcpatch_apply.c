/* Plans are read from the cache, missing ones are made together for all modules, then each
 * module gets its code and its jumps. */
#include "collectors/functions/modules/funcpatch_apply.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/pages.h"
#include "collectors/functions/attach/funcpatch_debugger.h"
#include "collectors/functions/counts/funcpatch_counts.h"
#include "collectors/functions/funcpatch_call.h"
#include "collectors/functions/funcpatch_settings.h"
#include "collectors/functions/modules/funcpatch_api.h"
#include "collectors/functions/modules/funcpatch_memfiles.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/modules/funcpatch_plan.h"
#include "collectors/functions/modules/funcpatch_switch.h"
#include "collectors/functions/modules/funcpatch_tool.h"
#include "collectors/functions/records/funcpatch_hooks.h"
#include "collectors/functions/threads/funcpatch_shadow.h"
#include "collectors/functions/threads/funcpatch_switching.h"
#include "collectors/functions/threads/funcpatch_threads.h"
#include "patch/apply/patchapply.h"
#include "patch/apply/patchapply_rewritten.h"
#include "patch/apply/patchapply_write.h"
#include "patch/read/planread.h"
#include "patch/rewrite/rewritehead.h"
#include "platform/files/nocancel_io.h"

uint64_t funcpatch_clock __attribute__((aligned(4096)));

static bool apply_needs_calls(const struct plan *plan)
{
	for (uint64_t i = 0; i < plan->header->function_count; i++)
		if (plan->functions[i].way == PLAN_WAY_CALL)
			return true;
	return false;
}

static void apply_fill_vector(const struct funcpatch_module *module, struct patch_vector *vector)
{
	vector->thread_offset = funcpatch_thread_offset();
	vector->first_id = module->first_id;
	vector->first_id_head =
		(uint64_t)module->first_id
		<< (PATCH_IS_MARKED(funcpatch_settings.cost) ? PATCH_MARKED_ID_SHIFT
							     : PATCH_ENTER_ID_SHIFT);
	vector->first_id_left = (uint64_t)module->first_id * 4;
	vector->clock = (uint64_t)(uintptr_t)&funcpatch_clock;
	vector->slow_enter = (uint64_t)(uintptr_t)funcpatch_slow_enter;
	vector->slow_exit = (uint64_t)(uintptr_t)funcpatch_slow_exit;
	vector->shadow_start = funcpatch_shadow_start();
}

static void complain_of(const struct funcpatch_found *found, const char *what, int error)
{
	char text[FUNCPATCH_PATH_MAX + 256], number[32] = "";

	if (error)
		snprintf(number, sizeof(number), " (error %d)", error);
	snprintf(text, sizeof(text), "the functions of '%s' are not recorded: %s%s", found->path,
		 what, number);
	funcpatch_complain(text);
}

static void apply_reserve(struct funcpatch_thread *thread, void *module)
{
	funcpatch_counts_module(thread, module);
}

/* Every thread has entries for the ids before the first of them can be used.  A module that is
 * loaded again continues with its counts.  Threads known before recording begins belong to an
 * earlier recording, and may have counted nothing in that. */
static void apply_add(struct funcpatch_module *module, bool is_new)
{
	uint64_t before;

	funcpatch_lock(&before);
	if (is_new && funcpatch_settings.cost == PATCH_COST_COUNTS &&
	    __atomic_load_n(&funcpatch_is_open, __ATOMIC_ACQUIRE))
		funcpatch_threads_each(apply_reserve, module);
	funcpatch_module_add(module, is_new);
	funcpatch_gate_map(module);
	funcpatch_unlock(before);
}

static int apply_map(struct funcpatch_module *module, const struct funcpatch_found *found,
		     int descriptor)
{
	struct patch_vector vector;
	int result;

	if (apply_needs_calls(&module->applied.plan))
		funcpatch_shadow_map();
	apply_fill_vector(module, &vector);
	module->applied.bias = found->bias;
	result = module->is_rewritten
			 ? patchapply_attach_rewritten(&module->applied,
						       (const void *)(uintptr_t)found->last_segment,
						       found->last_size, &vector)
			 : patchapply_map(&module->applied, descriptor, &vector);
	if (result != 0)
		return result;
	module->applied.is_written = pages_new(module->count ? module->count : 1);
	if (!module->applied.is_written)
		return ENOMEM;
	module->applied.gate->is_off = funcpatch_is_switched_off();
	return 0;
}

static void keep_found(struct funcpatch_module *module, const struct funcpatch_found *found)
{
	module->start = found->start;
	module->end = found->end;
	module->path_hash = found->path_hash;
}

static void mark_rewritten(struct funcpatch_module *module)
{
	for (uint32_t i = 0; i < module->count; i++) {
		module->applied.is_written[i] =
			!module->choice || module->choice[i] == CHOICE_TAKEN;
		module->taken += module->applied.is_written[i];
	}
}

static void apply_instrument(const struct funcpatch_found *found,
			     const struct funcpatch_module *loaded, int descriptor)
{
	bool is_new;
	struct funcpatch_module *module = funcpatch_module_place(
		found->path_hash, (uint32_t)loaded->applied.plan.header->function_count, &is_new);
	struct funcpatch_module made = *loaded;
	int result;

	if (!module) {
		complain_of(found, "there are too many functions", 0);
		return;
	}
	made.first_id = module->first_id;
	made.count = module->count;
	made.described_start = module->described_start;
	made.hook_index = module->hook_index;
	keep_found(&made, found);
	result = apply_map(&made, found, descriptor);
	if (result != 0) {
		complain_of(found, "there is no free address space near it", result);
		funcpatch_plan_release(&made);
		return;
	}
	*module = made;
	apply_add(module, is_new);
	funcpatch_debugger_add(module);
	module->is_api = found->api != NULL;
	if (module->is_rewritten)
		mark_rewritten(module);
	else if (module->is_api)
		funcpatch_api_mark(module);
	else if (!funcpatch_is_attached)
		result = patchapply_write(&module->applied, module->choice, patchapply_is_alone(),
					  &module->taken);
	if (result != 0)
		complain_of(found, "its code may not be changed", result);
	if (!module->is_api && !funcpatch_hooks_take(module))
		complain_of(found, "they call hooks of the program's own", 0);
}

/* Plan and choice of a rewritten file are in the file. */
static bool take_own(const struct funcpatch_found *found, struct funcpatch_module *out)
{
	const struct rewrite_head *head = (const void *)(uintptr_t)found->last_segment;
	const unsigned char *bytes = (const unsigned char *)head;

	if (!head || head->version != REWRITE_VERSION || head->size > found->last_size ||
	    head->plan_offset > head->size || head->plan_size > head->size - head->plan_offset ||
	    head->choice_offset > head->size ||
	    head->choice_count > head->size - head->choice_offset ||
	    !plan_read(bytes + head->plan_offset, head->plan_size, true, &out->applied.plan) ||
	    head->choice_count != out->applied.plan.header->function_count)
		return false;
	out->choice = bytes + head->choice_offset;
	out->is_rewritten = true;
	return true;
}

/* A rewritten file records with the settings it was rewritten for, or not at all. */
static bool has_other_cost(const struct funcpatch_found *found,
			   const struct funcpatch_module *module)
{
	const struct plan_header *header = module->applied.plan.header;
	bool is_serialized = header->variant & PLAN_VARIANT_SERIALIZED;

	if (header->cost == (uint16_t)funcpatch_settings.cost &&
	    is_serialized == funcpatch_settings.is_serialized)
		return false;
	complain_of(found,
		    header->cost == (uint16_t)funcpatch_settings.cost
			    ? "it was rewritten for another KYMO_FUNCTIONS_SERIALIZE"
			    : "it was rewritten for another KYMO_FUNCTIONS_TIMING",
		    0);
	return true;
}

static bool is_any_taken(const struct funcpatch_module *module)
{
	for (uint64_t i = 0; module->choice && i < module->applied.plan.header->function_count; i++)
		if (module->choice[i] == CHOICE_TAKEN)
			return true;
	return !module->choice;
}

/* False: there is no plan for it. */
static bool try(const struct funcpatch_found *found)
{
	struct funcpatch_module module;
	int descriptor = -1;

	memset(&module, 0, sizeof(module));
	if (!found->api && take_own(found, &module)) {
		if (has_other_cost(found, &module))
			return true;
	} else {
		descriptor = funcpatch_plan_load(found, &module);
		if (descriptor < 0)
			return false;
	}
	if (is_any_taken(&module))
		apply_instrument(found, &module, descriptor);
	else
		funcpatch_plan_release(&module);
	if (descriptor >= 0)
		plain_close(descriptor);
	return true;
}

static const char *why_no_plan(void)
{
	const struct funcpatch_settings *settings = &funcpatch_settings;

	if (!(settings->home && settings->home[0]) &&
	    !(settings->cache_home && settings->cache_home[0]))
		return "there is no place for its plan: set HOME or XDG_CACHE_HOME";
	return "there is no plan for it, or only one that another version of kymo made";
}

/* False: the command could not be run, or failed for some of them. */
static bool make_missing(struct funcpatch_found *found, size_t count)
{
	bool is_made;

	funcpatch_memfiles_open(found, count);
	is_made = funcpatch_plans_make(found, count);
	for (size_t i = 0; i < count; i++)
		if (found[i].is_missing && !try(&found[i]) && is_made)
			complain_of(&found[i], why_no_plan(), 0);
	funcpatch_memfiles_close(found, count);
	return is_made;
}

void funcpatch_apply(struct funcpatch_found *found, size_t count)
{
	for (size_t i = 0; i < count; i++)
		found[i].is_missing = !try(&found[i]);
	for (size_t first = 0, some; first < count; first += some) {
		size_t missing = 0;

		some = count - first < FUNCPATCH_MAKE_MAX ? count - first : FUNCPATCH_MAKE_MAX;
		for (size_t i = first; i < first + some; i++)
			missing += found[i].is_missing;
		if (missing == 0 || make_missing(found + first, some))
			continue;
		if (found[0].api)
			complain_of(&found[0], "their plans could not be made", 0);
		else
			funcpatch_complain("functions are not recorded: the command that finds "
					   "them could not be run");
		return;
	}
}
