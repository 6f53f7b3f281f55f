/* Detached parts of functions: rarely executed code that the compiler moved away. Their returns are
 * returns of the function that jumps to them. */
#include "patch/analyse/patchfragments.h"

#include <stdlib.h>

#include "patch/analyse/patchindex.h"
#include "patch/analyse/patchsweep.h"

static bool patchfragments_is_branch(const struct patch_event *event)
{
	return event->kind == PATCH_EVENT_JUMP || event->kind == PATCH_EVENT_CONDITIONAL ||
	       event->kind == PATCH_EVENT_SHORT;
}

/* A frame description without a symbol that nothing calls or points to, and that jumps into the
 * middle of another function, is a part, though the stack there is as at an entry. */
static void find_nameless_fragments(struct patch_decision *decision)
{
	struct patch_module *module = decision->module;
	const struct patch_sweep *sweep = module->sweep;

	for (size_t i = 0; i < sweep->event_count; i++) {
		const struct patch_event *event = &sweep->events[i];
		struct patch_function *from = &module->functions[event->function];
		const struct patch_function *to;

		if (!patchfragments_is_branch(event) || from->reason != PLAN_FINE ||
		    from->flags & PLAN_FUNCTION_NAMED ||
		    patchbits_has(sweep->named, from->address - module->targets_start))
			continue;
		to = patchmodule_function_at(module, event->target);
		if (to && to->address != event->target && to->reason == PLAN_FINE)
			from->reason = PLAN_PART;
	}
}

static uint32_t patchfragments_root_of(const struct patch_decision *decision, uint32_t function)
{
	for (unsigned i = 0; i < 4 && function != PATCH_NO_FUNCTION &&
			     decision->module->functions[function].reason == PLAN_PART;
	     i++)
		function = decision->owners[function];
	return function;
}

/* A part of two functions has no owner, permanently. */
static void set_owner(struct patch_decision *decision, uint32_t part, uint32_t owner, bool *is_torn)
{
	if (decision->owners[part] == PATCH_NO_FUNCTION)
		decision->owners[part] = owner;
	else if (patchfragments_root_of(decision, decision->owners[part]) !=
		 patchfragments_root_of(decision, owner))
		is_torn[part] = true;
}

static void take_event(struct patch_decision *decision, const struct patch_event *event,
		       bool *is_torn)
{
	struct patch_module *module = decision->module;
	const struct patch_function *to;
	uint32_t index;

	if (!patchfragments_is_branch(event) ||
	    !(to = patchmodule_function_at(module, event->target)))
		return;
	index = patchdecision_index(module, to);
	if (to->reason == PLAN_PART && module->functions[event->function].reason != PLAN_PART)
		set_owner(decision, index, event->function, is_torn);
	else if (to->reason != PLAN_PART && to->reason != PLAN_STUB &&
		 to->address != event->target &&
		 module->functions[event->function].reason == PLAN_PART)
		set_owner(decision, event->function, index, is_torn);
}

/* Parts that are reached only from other parts of the same function. */
static void take_inner_fragment(struct patch_decision *decision, const struct patch_event *event)
{
	struct patch_module *module = decision->module;
	const struct patch_function *to;
	uint32_t index;

	if (!patchfragments_is_branch(event) ||
	    module->functions[event->function].reason != PLAN_PART ||
	    !(to = patchmodule_function_at(module, event->target)) || to->reason != PLAN_PART)
		return;
	index = patchdecision_index(module, to);
	if (decision->owners[index] == PATCH_NO_FUNCTION)
		decision->owners[index] = patchfragments_root_of(decision, event->function);
}

void patchfragments_link(struct patch_decision *decision)
{
	struct patch_module *module = decision->module;
	const struct patch_sweep *sweep = module->sweep;
	bool *is_torn = calloc(module->function_count + 1, sizeof(*is_torn));

	if (!is_torn) {
		decision->is_short_of_memory = true;
		return;
	}
	find_nameless_fragments(decision);
	for (size_t i = 0; i < sweep->event_count; i++)
		take_event(decision, &sweep->events[i], is_torn);
	for (size_t i = 0; i < sweep->event_count; i++)
		take_inner_fragment(decision, &sweep->events[i]);
	for (uint32_t i = 0; i < module->function_count; i++) {
		uint32_t owner = decision->owners[i];

		if (is_torn[i])
			decision->owners[i] = PATCH_NO_FUNCTION;
		else if (owner != PATCH_NO_FUNCTION) {
			decision->next_fragments[i] = decision->first_fragments[owner];
			decision->first_fragments[owner] = i;
		}
	}
	free(is_torn);
}

uint32_t patchfragments_owner(const struct patch_decision *decision, uint64_t address)
{
	const struct patch_function *function = patchmodule_function_at(decision->module, address);

	if (!function)
		return PATCH_NO_FUNCTION;
	return function->reason == PLAN_PART
		       ? decision->owners[patchdecision_index(decision->module, function)]
		       : patchdecision_index(decision->module, function);
}
