/* How each function is recorded: where its entry is patched, and how its end is observed. */
#include "patch/analyse/patchdecide.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "patch/analyse/patchdecision.h"
#include "patch/analyse/patchfragments.h"
#include "patch/analyse/patchwalkers.h"
#include "patch/analyse/x86_64/patchcopy.h"
#include "patch/analyse/x86_64/patchentry.h"
#include "patch/analyse/x86_64/patchexits.h"
#include "patch/analyse/x86_64/patchhooks.h"
#include "patch/analyse/x86_64/patchbytes.h"
#include "patch/analyse/x86_64/return_use.h"

#define FUNCTIONS_FOR_TWO 512u /* threads: with fewer a second one does not pay */

/* Every function is checked. */
static void mark_walkers(struct patch_decision *decision)
{
	struct patch_module *module = decision->module;

	if (!patchwalkers_has_any(module))
		return;
	memset(decision->return_uses, RETURN_ADDRESS_USED, module->function_count);
	for (size_t i = 0; i < module->function_count; i++)
		module->functions[i].has_handlers = true;
}

static void patchdecide_take_entry(struct patch_module *module, const struct patch_entry *entry,
				   bool is_taken)
{
	if (entry->way == PATCH_ENTRY_CAVE) {
		patchbytes_take(module, entry->at, PATCH_SHORT_BYTES, is_taken);
		patchbytes_take(module, entry->cave, PATCH_JUMP_BYTES, is_taken);
	} else if (entry->way != PATCH_ENTRY_NONE) {
		patchbytes_take(module, entry->at, PATCH_JUMP_BYTES, is_taken);
	}
}

static void take_exits(struct patch_decision *decision, const struct patch_function *function)
{
	for (uint32_t i = 0; i < function->exit_count; i++) {
		const struct patch_exit *exit = &decision->exits[function->first_exit + i];

		if (exit->displaced)
			patchbytes_take(decision->module, exit->at, PATCH_JUMP_BYTES, true);
	}
}

static void set_reason(struct patch_function *function, enum plan_reason reason)
{
	__atomic_store_n(&function->reason, reason, __ATOMIC_RELAXED);
}

static void patchdecide_exclude(struct patch_decision *decision, struct patch_function *function,
				enum plan_reason reason)
{
	patchdecide_take_entry(decision->module, &function->entry, false);
	decision->exit_count = function->first_exit;
	function->exit_count = 0;
	function->entry.way = PATCH_ENTRY_NONE;
	set_reason(function, reason);
}

/* The entry was found: now choose how the end is observed. */
static void decide_way(struct patch_decision *decision, struct patch_function *function)
{
	uint32_t index = patchdecision_index(decision->module, function);
	enum plan_reason reason;

	patchdecide_take_entry(decision->module, &function->entry, true);
	reason = patchexits_find(decision, function);
	if (reason == PLAN_BRANCH_INTO_ENTRY) {
		patchdecide_exclude(decision, function, reason);
		return;
	}
	take_exits(decision, function);
	function->is_callable = return_use_is_none(decision, index);
	patchbytes_take(decision->module, function->hook_call, function->hook_bytes, true);
	if (reason == PLAN_FINE) {
		function->way = PLAN_WAY_EXITS;
	} else if (function->is_callable) {
		function->way = PLAN_WAY_CALL;
	} else {
		function->way = PLAN_WAY_ENTRIES;
		set_reason(function, reason == PLAN_UNDECODED ? reason : PLAN_READS_RETURN);
	}
}

static bool find_caves(struct patch_decision *decision)
{
	struct patch_module *module = decision->module;
	size_t capacity = 0;

	for (size_t i = 0; i < module->function_count; i++) {
		const struct patch_function *function = &module->functions[i];
		uint64_t start = function->address + function->size;
		struct patch_range *caves;
		unsigned size;

		while (patchbytes_is_taken(module, start, 1))
			start++;
		size = patchbytes_padding(module, start, 64);
		if (size < PATCH_JUMP_BYTES)
			continue;
		caves = array_grow(module->caves, &capacity, module->cave_count + 1,
				   sizeof(*caves));
		if (!caves)
			return false;
		module->caves = caves;
		caves[module->cave_count++] = (struct patch_range){start, start + size};
	}
	return true;
}

/* Its entry is known, its way is not: with a cave no call would have to be moved. */
static bool is_postponed(const struct patch_function *function)
{
	return function->reason == PLAN_FINE && function->way == PLAN_WAY_NONE &&
	       function->entry.way != PATCH_ENTRY_NONE;
}

struct half { /* of the functions: [first, end) */
	struct patch_decision decision;
	uint32_t first, end;
	pthread_t thread;
};

static void *decide_without_caves(void *context)
{
	struct half *half = context;
	struct patch_module *module = half->decision.module;

	for (uint32_t i = half->first; i < half->end; i++) {
		struct patch_function *function = &module->functions[i];

		if (function->reason != PLAN_FINE)
			continue;
		set_reason(function, patchentry_find(&half->decision, function));
		if (function->reason == PLAN_FINE && function->way == PLAN_WAY_NONE &&
		    (function->entry.way == PATCH_ENTRY_HOOK ||
		     !patchentry_moves_call(module, &function->entry)))
			decide_way(&half->decision, function);
	}
	return NULL;
}

/* The start of the second half: between functions that share no bytes. */
static uint32_t find_middle(const struct patch_module *module)
{
	uint32_t count = (uint32_t)module->function_count, middle = count / 2;
	uint64_t behind = 0;

	if (count < FUNCTIONS_FOR_TWO)
		return count;
	for (uint32_t i = 0; i < count; i++) {
		const struct patch_function *function = &module->functions[i];

		if (i >= middle && function->address >= behind)
			return i;
		if (function->address + function->size > behind)
			behind = function->address + function->size;
	}
	return count;
}

/* Append the exits of the second half to those of the first. */
static bool join_exits(struct patch_decision *decision, struct half *second)
{
	struct patch_module *module = decision->module;
	size_t count = second->decision.exit_count;
	struct patch_exit *exits;

	if (count == 0)
		return true;
	exits = array_grow(decision->exits, &decision->exit_capacity, decision->exit_count + count,
			   sizeof(*exits));
	if (!exits)
		return false;
	decision->exits = exits;
	memcpy(exits + decision->exit_count, second->decision.exits, count * sizeof(*exits));
	for (uint32_t i = second->first; i < second->end; i++)
		module->functions[i].first_exit += (uint32_t)decision->exit_count;
	decision->exit_count += count;
	return true;
}

/* Decide in two halves, one thread each, divided independently of the machine.  Each has its own
 * notes of which functions use their return addresses: another thread's pending state is no
 * result. */
static void decide_halves(struct patch_decision *decision)
{
	uint32_t count = (uint32_t)decision->module->function_count;
	struct half first = {.end = find_middle(decision->module)}, second = {.end = count};
	bool is_started = false;

	second.first = first.end;
	first.decision = second.decision = *decision;
	second.decision.return_uses = malloc((size_t)count + 1);
	if (!second.decision.return_uses) {
		decision->is_short_of_memory = true;
		return;
	}
	memcpy(second.decision.return_uses, decision->return_uses, count);
	if (second.first < count)
		is_started =
			pthread_create(&second.thread, NULL, decide_without_caves, &second) == 0;
	decide_without_caves(&first);
	if (is_started)
		pthread_join(second.thread, NULL);
	else
		decide_without_caves(&second);
	*decision = first.decision;
	decision->is_short_of_memory |=
		second.decision.is_short_of_memory || !join_exits(decision, &second);
	free(second.decision.return_uses);
	free(second.decision.exits);
}

static void decide_by_caves(struct patch_decision *decision)
{
	struct patch_module *module = decision->module;

	for (size_t i = 0; i < module->function_count; i++) {
		struct patch_function *function = &module->functions[i];

		if (function->reason != PLAN_TOO_SHORT &&
		    function->reason != PLAN_BRANCH_INTO_ENTRY &&
		    function->reason != PLAN_NOT_MOVABLE)
			continue;
		function->reason = patchentry_find_cave(decision, function);
		if (function->reason == PLAN_FINE)
			decide_way(decision, function);
	}
}

/* Remaining caves avoid the relocation of calls. */
static void decide_postponed(struct patch_decision *decision)
{
	struct patch_module *module = decision->module;

	for (size_t i = 0; i < module->function_count; i++) {
		struct patch_function *function = &module->functions[i];

		if (!is_postponed(function))
			continue;
		function->reason = patchentry_find_cave(decision, function);
		if (function->reason != PLAN_FINE)
			function->reason = patchentry_find(decision, function);
		if (function->reason == PLAN_FINE)
			decide_way(decision, function);
	}
}

static void decide_all(struct patch_decision *decision)
{
	decide_halves(decision);
	if (!find_caves(decision))
		decision->is_short_of_memory = true;
	decide_by_caves(decision);
	decide_postponed(decision);
}

enum kymo_status patchdecide(struct patch_module *module, struct problem *problem)
{
	struct patch_decision decision = {0};

	if (!patchdecision_begin(&decision, module)) {
		patchdecision_end(&decision);
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	mark_walkers(&decision);
	patchhooks_find(module, &decision.hooks);
	patchfragments_link(&decision);
	decide_all(&decision);
	module->exits = decision.exits;
	module->exit_count = decision.exit_count;
	if (module->wants_copies)
		patchcopy_find_all(&decision);
	module->owners = decision.owners;
	decision.owners = NULL;
	patchdecision_end(&decision);
	return decision.is_short_of_memory ? problem_set(problem, KYMO_MEMORY, "out of memory")
					   : KYMO_OK;
}

/* May be called at its original address: nothing of it is relocated. */
static bool is_callable(struct patch_decision *decision, const struct patch_function *function)
{
	if (!(function->flags & PLAN_FUNCTION_DYNAMIC) || (function->flags & PLAN_FUNCTION_IFUNC) ||
	    function->name[0] == '\0' || return_use_is_special(function->name))
		return false;
	return function->reason == PLAN_FINE &&
	       return_use_is_none(decision, patchdecision_index(decision->module, function));
}

enum kymo_status patchdecide_calls(struct patch_module *module, patchdecide_wants_fn wants,
				   void *context, struct problem *problem)
{
	struct patch_decision decision = {0};

	if (!patchdecision_begin(&decision, module)) {
		patchdecision_end(&decision);
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	patchfragments_link(&decision);
	mark_walkers(&decision);
	for (size_t i = 0; i < module->function_count; i++) {
		struct patch_function *function = &module->functions[i];

		if (!is_callable(&decision, function) || !wants(function, context))
			continue;
		function->way = PLAN_WAY_CALL;
		function->entry =
			(struct patch_entry){.way = PATCH_ENTRY_JUMP, .at = function->address};
	}
	patchdecision_end(&decision);
	return KYMO_OK;
}
