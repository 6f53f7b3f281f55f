/* How each function of an AArch64 file is recorded.  A jump displaces one instruction, so every
 * known entry and exit can be patched.  With an unknown exit the end of a call cannot be observed:
 * such calls are only counted. */
#include "patch/analyse/aarch64/patchdecide.h"

#include <stdlib.h>

#include "base/array.h"
#include "patch/analyse/aarch64/patchindirect.h"
#include "patch/analyse/aarch64/patchsweep.h"
#include "patch/analyse/patchdecision.h"
#include "patch/analyse/patchfragments.h"
#include "patch/analyse/patchsweep.h"

struct search { /* in one function and its parts */
	struct patch_decision *decision;
	struct patch_function *function;
	uint32_t index;
	enum plan_reason reason;
	bool is_entered; /* something other than a known loop may branch to the entry */
};

static void patchdecide_give_up(struct search *search, enum plan_reason reason)
{
	if (search->reason == PLAN_FINE)
		search->reason = reason;
}

static void patchdecide_add_exit(struct search *search, const struct patch_event *event,
				 enum patch_exit_kind kind)
{
	struct patch_module *module = search->decision->module;
	bool is_first = event->address == search->function->entry.at;
	struct patch_exit *exits = array_grow(module->exits, &search->decision->exit_capacity,
					      module->exit_count + 1, sizeof(*exits));

	if (!exits) {
		search->decision->is_short_of_memory = true;
		return;
	}
	module->exits = exits;
	exits[module->exit_count++] = (struct patch_exit){.at = event->address,
							  .instruction = event->address,
							  .displaced = is_first ? 0 : ARM_BYTES,
							  .code = ARM_BYTES,
							  .kind = (uint8_t)kind,
							  .function = search->index,
							  .target = event->target};
}

static void patchdecide_see_branch(struct search *search, const struct patch_event *event)
{
	const struct patch_decision *decision = search->decision;
	const struct patch_module *module = decision->module;
	const struct patch_function *to = patchmodule_function_at(module, event->target);

	if (event->target == search->function->entry.at ||
	    event->target == search->function->address) {
		patchdecide_add_exit(search, event, PATCH_EXIT_OWN_ENTRY);
		return;
	}
	if (to && patchfragments_owner(decision, event->target) == search->index)
		return; /* to and from its own parts */
	if ((to && to->address != event->target && to->reason != PLAN_STUB) ||
	    (to && to->reason == PLAN_PART) || !armsweep_is_popped(module, event->address)) {
		patchdecide_give_up(search, PLAN_UNKNOWN_JUMPS);
		return;
	}
	search->function->flags |= PLAN_FUNCTION_TAIL_CALLS;
	patchdecide_add_exit(search, event,
			     event->kind == PATCH_EVENT_CONDITIONAL ? PATCH_EXIT_CONDITIONAL
								    : PATCH_EXIT_JUMP);
}

static void patchdecide_see_through(struct search *search, uint32_t index,
				    const struct patch_event *event)
{
	switch (armindirect_target(search->decision->module, index, event->address)) {
	case ARM_TARGET_INSIDE:
		return;
	case ARM_TARGET_OUTSIDE:
		search->function->flags |= PLAN_FUNCTION_TAIL_CALLS;
		patchdecide_add_exit(search, event, PATCH_EXIT_JUMP);
		return;
	case ARM_TARGET_ENTRY:
		search->is_entered = true;
		patchdecide_give_up(search, PLAN_BRANCH_INTO_ENTRY);
		return;
	default:
		search->is_entered = true;
		patchdecide_give_up(search, PLAN_UNKNOWN_JUMPS);
	}
}

static void patchdecide_see_range(struct search *search, uint32_t index)
{
	const struct patch_sweep *sweep = search->decision->module->sweep;

	patchdecide_give_up(search, patchsweep_doubt(sweep->notes[index]));
	for (size_t i = sweep->first_events[index]; i < sweep->first_events[index + 1]; i++) {
		const struct patch_event *event = &sweep->events[i];

		if (event->kind == PATCH_EVENT_RETURN)
			patchdecide_add_exit(search, event, PATCH_EXIT_RETURN);
		else if (event->kind == PATCH_EVENT_OWN_ENTRY && index == search->index)
			patchdecide_add_exit(search, event, PATCH_EXIT_OWN_ENTRY);
		else if (event->kind == PATCH_EVENT_JUMP_INDIRECT)
			patchdecide_see_through(search, index, event);
		else if (event->kind <= PATCH_EVENT_SHORT)
			patchdecide_see_branch(search, event);
	}
}

/* Only loops back to the entry remain. */
static void patchdecide_keep_loops(struct patch_module *module, size_t first)
{
	size_t count = first;

	for (size_t i = first; i < module->exit_count; i++)
		if (module->exits[i].kind == PATCH_EXIT_OWN_ENTRY)
			module->exits[count++] = module->exits[i];
	module->exit_count = count;
}

static enum plan_reason find_exits(struct patch_decision *decision, struct patch_function *function,
				   bool *is_entered_out)
{
	struct patch_module *module = decision->module;
	uint32_t index = patchdecision_index(module, function);
	struct search search = {
		.decision = decision, .function = function, .index = index, .reason = PLAN_FINE};

	function->first_exit = (uint32_t)module->exit_count;
	patchdecide_see_range(&search, index);
	for (uint32_t part = decision->first_fragments[index]; part != PATCH_NO_FUNCTION;
	     part = decision->next_fragments[part])
		patchdecide_see_range(&search, part);
	if (search.reason != PLAN_FINE)
		patchdecide_keep_loops(module, function->first_exit);
	function->exit_count = (uint32_t)(module->exit_count - function->first_exit);
	*is_entered_out = search.is_entered;
	return search.reason;
}

static enum plan_reason patchdecide_find_entry(const struct patch_module *module,
					       struct patch_function *function)
{
	uint64_t at = armsweep_entry(module, function);
	struct arm_code code;

	if (at + ARM_BYTES > function->address + function->size)
		return PLAN_TOO_SHORT;
	if (!armsweep_code(module, at, &code) || code.kind == ARM_UNSUPPORTED)
		return PLAN_UNDECODED;
	function->entry =
		(struct patch_entry){.way = PATCH_ENTRY_JUMP,
				     .displaced = ARM_BYTES,
				     .instructions = 1,
				     .at = at,
				     .ends = code.kind == ARM_RETURN || code.kind == ARM_JUMP ||
					     code.kind == ARM_JUMP_BY};
	return PLAN_FINE;
}

static void patchdecide_decide_function(struct patch_decision *decision,
					struct patch_function *function)
{
	struct patch_module *module = decision->module;
	bool is_entered;

	function->reason = patchdecide_find_entry(module, function);
	if (function->reason != PLAN_FINE)
		return;
	function->reason = find_exits(decision, function, &is_entered);
	if (function->reason == PLAN_FINE) {
		function->way = PLAN_WAY_EXITS;
	} else if (!is_entered) {
		function->way = PLAN_WAY_ENTRIES;
	} else {
		module->exit_count = function->first_exit;
		function->exit_count = 0;
		function->entry.way = PATCH_ENTRY_NONE;
	}
}

enum kymo_status armdecide(struct patch_module *module, struct problem *problem)
{
	struct patch_decision decision = {0};

	if (!patchdecision_begin(&decision, module)) {
		patchdecision_end(&decision);
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	}
	patchfragments_link(&decision);
	for (size_t i = 0; i < module->function_count; i++)
		if (module->functions[i].reason == PLAN_FINE)
			patchdecide_decide_function(&decision, &module->functions[i]);
	patchdecision_end(&decision);
	return decision.is_short_of_memory ? problem_set(problem, KYMO_MEMORY, "out of memory")
					   : KYMO_OK;
}
