/* What could lead into the midst of a loop, or out of it, beside direct jumps: tables of jumps,
 * other parts of the function, data that is code. */
#include "patch/patchways.h"

#include <stdlib.h>

#include "base/array.h"

static int compare_addresses(const void *left, const void *right)
{
	const uint64_t *a = left, *b = right;

	return *a < *b ? -1 : *a > *b;
}

/* The first of the addresses that is not below address. */
static size_t first_from(const uint64_t *addresses, size_t count, uint64_t address)
{
	size_t low = 0, high = count;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (addresses[middle] < address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* ---- other parts of the function --------------------------------------------------------------
 */

static bool is_jump(const struct patch_event *event)
{
	return event->kind == PATCH_EVENT_JUMP || event->kind == PATCH_EVENT_CONDITIONAL ||
	       event->kind == PATCH_EVENT_SHORT;
}

/* A function's cold part jumps back into it. */
bool patchways_begin(struct patch_ways *ways, const struct patch_module *module)
{
	const struct patch_sweep *sweep = module->sweep;

	*ways = (struct patch_ways){.module = module};
	ways->inward = malloc((sweep->event_count + 1) * sizeof(*ways->inward));
	if (!ways->inward)
		return false;
	for (size_t i = 0; i < sweep->event_count; i++) {
		const struct patch_event *event = &sweep->events[i];

		if (is_jump(event) && patchsweep_is_text(module, event->target) &&
		    !patchbits_has(sweep->starts, event->target - module->targets_start))
			ways->inward[ways->inward_count++] = event->target;
	}
	qsort(ways->inward, ways->inward_count, sizeof(*ways->inward), compare_addresses);
	return true;
}

static bool is_entered_from_outside(const struct patch_ways *ways, uint64_t start, uint64_t end)
{
	size_t first = first_from(ways->inward, ways->inward_count, start);

	return first < ways->inward_count && ways->inward[first] < end;
}

/* It jumps to another part, from which there is a way back. */
static bool leaves_for_part(const struct patch_ways *ways, const struct patch_range *loop)
{
	const struct patch_function *function = ways->function;
	const uint64_t end = function->address + function->size;

	if (!is_entered_from_outside(ways, function->address, end))
		return false;
	for (size_t i = 0; i < ways->branches->count; i++) {
		const struct patch_branch *branch = &ways->branches->items[i];

		if (branch->address >= loop->start && branch->address < loop->end &&
		    (branch->target < function->address || branch->target >= end))
			return true;
	}
	return false;
}

/* ---- tables of jumps ---------------------------------------------------------------------------
 */

/* Something that is no direct jump leads to an instruction there: a table, or an exception. */
static bool has_other_targets(const struct patch_ways *ways, uint64_t start, uint64_t end)
{
	const struct patch_module *module = ways->module;

	for (uint64_t at = start; at < end; at++) {
		size_t found;

		if (!patchmodule_is_target(module, at) ||
		    !patchbits_has(module->sweep->boundaries, at - module->targets_start))
			continue;
		found = first_from(ways->targets, ways->branches->count, at);
		if (found == ways->branches->count || ways->targets[found] != at)
			return true;
	}
	return false;
}

/* Jumps through a table from in the loop stay in it, others stay out of it. */
static bool are_tables_apart(const struct patch_ways *ways, const struct patch_range *loop)
{
	const struct patch_function *function = ways->function;
	const struct patch_sweep *sweep = ways->module->sweep;
	bool has_inside = false, has_outside = false;

	for (uint32_t i = sweep->first_events[ways->index];
	     i < sweep->first_events[ways->index + 1]; i++) {
		const struct patch_event *event = &sweep->events[i];

		if (event->kind != PATCH_EVENT_THROUGH)
			continue;
		if (event->address >= loop->start && event->address < loop->end)
			has_inside = true;
		else
			has_outside = true;
	}
	if (has_outside && has_other_targets(ways, loop->start, loop->end))
		return false;
	return !has_inside ||
	       (!has_other_targets(ways, function->address + 1, loop->start) &&
		!has_other_targets(ways, loop->end, function->address + function->size));
}

/* ---- of a function, and of a loop --------------------------------------------------------------
 */

/* Where its ends are all patched, it is known of each jump through a table where that leads. */
static bool is_plain(const struct patch_module *module, uint32_t index)
{
	const struct patch_sweep *sweep = module->sweep;
	const uint16_t odd = PATCH_SWEPT_ODD | PATCH_SWEPT_DATA | PATCH_SWEPT_LABELS |
			     PATCH_SWEPT_SHARED | PATCH_SWEPT_HOOKED;

	if (!(sweep->notes[index] & PATCH_SWEPT_ALL) || sweep->notes[index] & odd)
		return false;
	if (module->functions[index].way == PLAN_WAY_EXITS)
		return true;
	for (uint32_t i = sweep->first_events[index]; i < sweep->first_events[index + 1]; i++)
		if (sweep->events[i].kind == PATCH_EVENT_THROUGH)
			return false;
	return true;
}

bool patchways_of(struct patch_ways *ways, uint32_t function, const struct patch_branches *branches)
{
	uint64_t *grown = array_grow(ways->targets, &ways->target_capacity, branches->count + 1,
				     sizeof(*grown));

	if (!grown)
		return false;
	ways->targets = grown;
	ways->function = &ways->module->functions[function];
	ways->index = function;
	ways->branches = branches;
	ways->is_plain = is_plain(ways->module, function);
	for (size_t i = 0; i < branches->count; i++)
		grown[i] = branches->items[i].target;
	qsort(grown, branches->count, sizeof(*grown), compare_addresses);
	return true;
}

void patchways_release(struct patch_ways *ways)
{
	free(ways->inward);
	free(ways->targets);
	*ways = (struct patch_ways){0};
}

bool patchways_are_known(const struct patch_ways *ways, const struct patch_range *loop)
{
	return ways->is_plain && !is_entered_from_outside(ways, loop->start, loop->end) &&
	       !leaves_for_part(ways, loop) && are_tables_apart(ways, loop);
}
