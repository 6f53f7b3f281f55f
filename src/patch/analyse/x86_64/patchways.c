/* What could enter or leave a loop other than by direct jumps: jump tables, other parts of the
 * function, data that is code. */
#include "patch/analyse/x86_64/patchways.h"

#include <stdlib.h>

#include "base/partitionpoint.h"
#include "patch/analyse/file/patchframes.h"
#include "patch/analyse/patchhandlers.h"
#include "patch/analyse/patchindex.h"
#include "patch/analyse/patchsweep.h"

static int compare_inward(const void *left, const void *right)
{
	const struct patch_inward *a = left, *b = right;

	return a->target < b->target ? -1 : a->target > b->target;
}

static bool patchways_is_jump(const struct patch_event *event)
{
	return event->kind == PATCH_EVENT_JUMP || event->kind == PATCH_EVENT_CONDITIONAL ||
	       event->kind == PATCH_EVENT_SHORT;
}

/* To the middle of a function, or to a part. */
static bool is_inward(const struct patch_module *module, uint64_t target)
{
	const struct patch_function *to;

	if (!patchsweep_is_text(module, target))
		return false;
	if (!patchbits_has(module->sweep->starts, target - module->targets_start))
		return true;
	to = patchmodule_function_at(module, target);
	return to && to->reason == PLAN_PART;
}

bool patchways_begin(struct patch_ways *ways, const struct patch_module *module)
{
	const struct patch_sweep *sweep = module->sweep;

	*ways = (struct patch_ways){.module = module};
	if (!patchcold_begin(&ways->cold, module))
		return false;
	ways->inward = malloc((sweep->event_count + 1) * sizeof(*ways->inward));
	if (!ways->inward)
		return false;
	for (size_t i = 0; i < sweep->event_count; i++) {
		const struct patch_event *event = &sweep->events[i];

		if (patchways_is_jump(event) && is_inward(module, event->target))
			ways->inward[ways->inward_count++] = (struct patch_inward){
				event->target, patchdecision_root(module, event->function)};
	}
	qsort(ways->inward, ways->inward_count, sizeof(*ways->inward), compare_inward);
	return true;
}

/* By code that is neither the function nor a part of it. */
static bool is_entered_from_outside(const struct patch_ways *ways, uint64_t start, uint64_t end)
{
	size_t low = partition_point(ways->inward_count, i, ways->inward[i].target < start);

	for (; low < ways->inward_count && ways->inward[low].target < end; low++)
		if (ways->inward[low].root != ways->index)
			return true;
	return false;
}

static bool are_fragments_entered(const struct patch_ways *ways)
{
	const struct patch_cold *cold = &ways->cold;

	for (uint32_t part = cold->first_fragments[ways->index]; part != PATCH_NO_FUNCTION;
	     part = cold->next_fragments[part]) {
		const struct patch_function *at = &ways->module->functions[part];

		if (is_entered_from_outside(ways, at->address, at->address + at->size))
			return true;
	}
	return false;
}

/* It, or a part, jumps to a possible unknown part, from which control may return. */
static bool leaves_for_fragment(const struct patch_ways *ways, const struct patch_range *loop)
{
	const struct patch_function *function = ways->function;

	if (!ways->is_entered)
		return false;
	for (size_t i = 0; i < ways->branches->count; i++) {
		const struct patch_branch *branch = &ways->branches->items[i];

		if (branch->address - function->address < function->size &&
		    (branch->address < loop->start || branch->address >= loop->end))
			continue;
		if (branch->target - function->address >= function->size &&
		    !patchcold_has(&ways->cold, branch->target))
			return true;
	}
	return false;
}

/* Something other than a direct jump targets an instruction there: a table, or an exception. */
static bool has_other_targets(const struct patch_ways *ways, uint64_t start, uint64_t end)
{
	const struct patch_module *module = ways->module;
	const struct patch_sweep *sweep = module->sweep;

	for (uint64_t at = start - module->targets_start; at < end - module->targets_start; at++)
		if (patchbits_has(sweep->indirect, at) && patchbits_has(sweep->boundaries, at))
			return true;
	return false;
}

/* Find where jump tables are used. */
static void patchways_find_tables(const struct patch_ways *ways, const struct patch_range *loop,
				  bool *inside_out, bool *outside_out)
{
	const struct patch_sweep *sweep = ways->module->sweep;

	*inside_out = *outside_out = false;
	for (uint32_t i = sweep->first_events[ways->index];
	     i < sweep->first_events[ways->index + 1]; i++) {
		const struct patch_event *event = &sweep->events[i];

		if (event->kind != PATCH_EVENT_JUMP_INDIRECT)
			continue;
		if (event->address >= loop->start && event->address < loop->end)
			*inside_out = true;
		else
			*outside_out = true;
	}
}

/* Jumps through tables inside the loop stay in it, those outside stay out of it. */
static bool are_tables_apart(const struct patch_ways *ways, const struct patch_range *loop,
			     bool has_inside, bool has_outside)
{
	const struct patch_function *function = ways->function;

	if (has_outside && has_other_targets(ways, loop->start, loop->end))
		return false;
	return !has_inside ||
	       (!has_other_targets(ways, function->address + 1, loop->start) &&
		!has_other_targets(ways, loop->end, function->address + function->size));
}

/* If all ends of the function are patched, the targets of each jump through a table are known. */
static bool patchways_is_plain(const struct patch_module *module, uint32_t index)
{
	const struct patch_sweep *sweep = module->sweep;
	const uint16_t odd = PATCH_SWEPT_UNSUPPORTED | PATCH_SWEPT_DATA | PATCH_SWEPT_SHARED |
			     PATCH_SWEPT_HOOKED;

	if (!(sweep->notes[index] & PATCH_SWEPT_ALL) || sweep->notes[index] & odd)
		return false;
	if (module->functions[index].way == PLAN_WAY_EXITS)
		return true;
	for (uint32_t i = sweep->first_events[index]; i < sweep->first_events[index + 1]; i++)
		if (sweep->events[i].kind == PATCH_EVENT_JUMP_INDIRECT)
			return false;
	return true;
}

bool patchways_of(struct patch_ways *ways, uint32_t function, const struct patch_branches *branches)
{
	ways->function = &ways->module->functions[function];
	ways->index = function;
	ways->branches = branches;
	ways->is_plain = patchways_is_plain(ways->module, function) && !branches->has_returns_twice;
	ways->is_entered = is_entered_from_outside(ways, ways->function->address,
						   ways->function->address + ways->function->size);
	ways->are_fragments_entered = are_fragments_entered(ways);
	return patchcold_of(&ways->cold, function, branches);
}

void patchways_release(struct patch_ways *ways)
{
	free(ways->inward);
	patchcold_release(&ways->cold);
	*ways = (struct patch_ways){0};
}

static bool is_handled_in(const struct patch_ways *ways, uint32_t function,
			  const struct patch_range *loop)
{
	const struct patch_module *module = ways->module;
	const struct cfi_fde *part = patchframes_at(module, module->functions[function].address);

	return part && part->handlers &&
	       patchhandlers_lead_into(module, part, loop->start, loop->end);
}

/* Exceptions out of calls outside of the loop are caught in it. */
static bool catches_from_outside(const struct patch_ways *ways, const struct patch_range *loop)
{
	const struct patch_cold *cold = &ways->cold;

	for (uint32_t part = cold->first_fragments[ways->index]; part != PATCH_NO_FUNCTION;
	     part = cold->next_fragments[part])
		if (is_handled_in(ways, part, loop))
			return true;
	return is_handled_in(ways, ways->index, loop);
}

/* No jump of the function itself targets it, so its origin is not known.  In a position-dependent
 * file any number may look like a pointer. */
static bool is_indirect_target(const struct patch_ways *ways, const struct patch_range *loop)
{
	const struct patch_module *module = ways->module;

	return module->sweep->notes[ways->index] & PATCH_SWEPT_LABELS &&
	       !module->is_position_dependent && has_other_targets(ways, loop->start, loop->end);
}

bool patchways_are_known(struct patch_ways *ways, const struct patch_range *loop)
{
	bool has_inside, has_outside;

	if (!ways->is_plain || is_entered_from_outside(ways, loop->start, loop->end) ||
	    leaves_for_fragment(ways, loop) || catches_from_outside(ways, loop))
		return false;
	patchways_find_tables(ways, loop, &has_inside, &has_outside);
	if (!has_inside && !has_outside && is_indirect_target(ways, loop))
		return false;
	return are_tables_apart(ways, loop, has_inside, has_outside) &&
	       (!patchcold_has_fragments(&ways->cold) ||
		(!ways->are_fragments_entered &&
		 patchcold_divide(&ways->cold, loop, has_inside, has_outside)));
}
