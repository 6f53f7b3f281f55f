/* Cold parts of a function with respect to its loops.  Compilers move rarely executed code away,
 * and an iteration may lead through it: code that is reached from the loop and leads back to it
 * belongs to the loop, code that never returns to the function to neither side, all else is
 * outside. */
#include "patch/analyse/x86_64/patchcold.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/partitionpoint.h"
#include "patch/analyse/file/patchimports.h"
#include "patch/analyse/patchindex.h"
#include "patch/analyse/patchsweep.h"
#include "patch/analyse/x86_64/patchedges.h"
#include "patch/analyse/x86_64/patchbytes.h"

#define NO_PLACE   UINT32_MAX
#define ROUNDS_MAX 64u /* passes over the parts of a function, for one loop */

enum { /* flows */
       FROM_LOOP = 1,
       FROM_OUTSIDE = 2,
       FROM = FROM_LOOP | FROM_OUTSIDE,
       TO_LOOP = 4,
       TO_OUTSIDE = 8,
       TO = TO_LOOP | TO_OUTSIDE,
};

static bool is_ending_import(const char *name)
{
	static const char *const names[] = {"abort",
					    "exit",
					    "_exit",
					    "quick_exit",
					    "__stack_chk_fail",
					    "__assert_fail",
					    "__fortify_fail",
					    "__chk_fail",
					    "longjmp",
					    "siglongjmp",
					    "__longjmp_chk",
					    "_Unwind_Resume",
					    "__cxa_throw",
					    "__cxa_rethrow",
					    "_ZSt9terminatev",
					    "__cxa_bad_cast",
					    "__cxa_throw_bad_array_new_length",
					    "__cxa_bad_typeid",
					    NULL};

	for (const char *const *at = names; *at; at++) {
		size_t length = strlen(*at);

		if (strncmp(name, *at, length) == 0 &&
		    (name[length] == '\0' || name[length] == '@'))
			return true;
	}
	return strncmp(name, "_ZSt", 4) == 0 && strstr(name, "__throw_") != NULL;
}

/* Control never leaves it for another place: it ends in calls. */
static bool never_returns(const struct patch_module *module, uint32_t function)
{
	const struct patch_sweep *sweep = module->sweep;
	const uint16_t notes = sweep->notes[function];

	if (!(notes & PATCH_SWEPT_ALL) || notes & (PATCH_SWEPT_FALLS | PATCH_SWEPT_UNSUPPORTED))
		return false;
	for (uint32_t i = sweep->first_events[function]; i < sweep->first_events[function + 1]; i++)
		if (sweep->events[i].kind != PATCH_EVENT_TABLE &&
		    sweep->events[i].kind != PATCH_EVENT_OWN_ENTRY)
			return false;
	return true;
}

static bool is_ending_call(const struct patch_module *module, uint64_t target)
{
	const struct patch_function *called = patchmodule_function_at(module, target);
	const char *import = patchimports_stub(module, target);

	if (import[0])
		return is_ending_import(import);
	return called && called->address == target &&
	       never_returns(module, patchdecision_index(module, called));
}

/* Falls through to the next instruction; calls may not. */
static bool instruction_falls_through(const struct patch_module *module, uint64_t address,
				      const struct patch_code *code)
{
	switch (code->kind) {
	case PATCH_CODE_CALL:
		return !is_ending_call(module, patchcode_target(code, address));
	case PATCH_CODE_PLAIN:
	case PATCH_CODE_CONDITIONAL:
	case PATCH_CODE_LOOP:
	case PATCH_CODE_CALL_INDIRECT:
		return true;
	default:
		return false;
	}
}

bool patchcold_begin(struct patch_cold *cold, const struct patch_module *module)
{
	const size_t bytes = (module->function_count + 1) * sizeof(*cold->first_fragments);

	*cold = (struct patch_cold){.module = module};
	cold->first_fragments = malloc(bytes);
	cold->next_fragments = malloc(bytes);
	if (!cold->first_fragments || !cold->next_fragments)
		return false;
	memset(cold->first_fragments, 0xff, bytes);
	for (size_t i = module->function_count; i-- > 0;) { /* so that lists are by address */
		uint32_t owner = patchdecision_root(module, (uint32_t)i);

		if (owner == (uint32_t)i || owner == PATCH_NO_FUNCTION)
			continue;
		cold->next_fragments[i] = cold->first_fragments[owner];
		cold->first_fragments[owner] = (uint32_t)i;
	}
	return true;
}

void patchcold_release(struct patch_cold *cold)
{
	free(cold->first_fragments);
	free(cold->next_fragments);
	free(cold->places);
	*cold = (struct patch_cold){0};
}

/* The index of the instruction at address, or NO_PLACE. */
static uint32_t place_at(const struct patch_cold *cold, uint64_t address)
{
	size_t low = partition_point(cold->place_count, i, cold->places[i].address < address);

	return low < cold->place_count && cold->places[low].address == address ? (uint32_t)low
									       : NO_PLACE;
}

static bool patchcold_add_instruction(struct patch_cold *cold, uint64_t address,
				      const struct patch_code *code)
{
	struct patch_cold_instruction *grown = array_grow(cold->places, &cold->place_capacity,
							  cold->place_count + 1, sizeof(*grown));

	if (!grown)
		return false;
	cold->places = grown;
	grown[cold->place_count++] = (struct patch_cold_instruction){
		.address = address,
		.target = patchcode_target(code, address),
		.to = NO_PLACE,
		.is_jump = code->kind == PATCH_CODE_JUMP || code->kind == PATCH_CODE_CONDITIONAL ||
			   code->kind == PATCH_CODE_LOOP,
		.falls_through = instruction_falls_through(cold->module, address, code)};
	return true;
}

static bool patchcold_add_fragment(struct patch_cold *cold, const struct patch_function *part)
{
	const uint64_t end = part->address + part->size;
	struct patch_code code;

	for (uint64_t at = part->address; at < end; at += code.length) {
		if (!patchbytes_code(cold->module, at, &code)) {
			cold->is_known = false;
			return true;
		}
		if (!patchcold_add_instruction(cold, at, &code))
			return false;
	}
	if (cold->place_count > 0) /* what follows belongs to another part, or to none */
		cold->places[cold->place_count - 1].falls_through = false;
	return true;
}

static bool is_known_fragment(const struct patch_module *module, uint32_t index)
{
	const struct patch_sweep *sweep = module->sweep;
	const uint16_t odd = PATCH_SWEPT_UNSUPPORTED | PATCH_SWEPT_DATA | PATCH_SWEPT_SHARED |
			     PATCH_SWEPT_HOOKED | PATCH_SWEPT_FALLS;

	if (!(sweep->notes[index] & PATCH_SWEPT_ALL) || sweep->notes[index] & odd)
		return false;
	for (uint32_t i = sweep->first_events[index]; i < sweep->first_events[index + 1]; i++)
		if (sweep->events[i].kind == PATCH_EVENT_JUMP_INDIRECT)
			return false;
	return true;
}

/* Resolve branch targets, once all places are known. */
static void link_places(struct patch_cold *cold)
{
	const struct patch_module *module = cold->module;
	const struct patch_function *function = cold->function;

	for (size_t i = 0; i < cold->place_count; i++) {
		struct patch_cold_instruction *place = &cold->places[i];

		place->is_entered = patchbits_has(module->sweep->indirect,
						  place->address - module->targets_start);
		if (!place->is_jump)
			continue;
		if (place->target - function->address >= function->size)
			place->to = place_at(cold, place->target);
		else if (!patchbits_has(module->sweep->boundaries,
					place->target - module->targets_start))
			cold->is_known = false;
	}
}

bool patchcold_of(struct patch_cold *cold, uint32_t function, const struct patch_branches *branches)
{
	const struct patch_module *module = cold->module;

	cold->function = &module->functions[function];
	cold->index = function;
	cold->branches = branches;
	cold->place_count = 0;
	cold->is_known = true;
	cold->has_handlers = cold->function->has_handlers;
	for (uint32_t part = cold->first_fragments[function]; part != PATCH_NO_FUNCTION;
	     part = cold->next_fragments[part]) {
		cold->is_known &= is_known_fragment(module, part);
		cold->has_handlers |= module->functions[part].has_handlers;
		if (!patchcold_add_fragment(cold, &module->functions[part]))
			return false;
	}
	if (cold->place_count >= NO_PLACE)
		cold->is_known = false;
	if (cold->is_known)
		link_places(cold);
	return true;
}

static bool patchcold_is_in(const struct patch_range *loop, uint64_t address)
{
	return address >= loop->start && address < loop->end;
}

static bool is_in_fragment(const struct patch_cold *cold, uint64_t address)
{
	const struct patch_function *at = patchmodule_function_at(cold->module, address);

	return at && at->reason == PLAN_PART &&
	       patchdecision_root(cold->module, patchdecision_index(cold->module, at)) ==
		       cold->index;
}

/* Seed the flows where the function and its parts jump to each other.  False: a target is in the
 * middle of an instruction. */
static bool seed_flows(struct patch_cold *cold, const struct patch_range *loop, uint8_t entered)
{
	const struct patch_function *function = cold->function;

	for (size_t i = 0; i < cold->place_count; i++) {
		struct patch_cold_instruction *place = &cold->places[i];

		place->flows = place->is_entered ? entered : 0;
		if (place->is_jump && place->target - function->address < function->size)
			place->flows |= patchcold_is_in(loop, place->target) ? TO_LOOP : TO_OUTSIDE;
	}
	for (size_t i = 0; i < cold->branches->count; i++) {
		const struct patch_branch *branch = &cold->branches->items[i];
		uint32_t to;

		if (branch->address - function->address >= function->size ||
		    branch->target - function->address < function->size)
			continue;
		to = place_at(cold, branch->target);
		if (to != NO_PLACE)
			cold->places[to].flows |=
				patchcold_is_in(loop, branch->address) ? FROM_LOOP : FROM_OUTSIDE;
		else if (is_in_fragment(cold, branch->target))
			return false;
	}
	return true;
}

/* Propagate along an edge, in both directions.  True: something changed. */
static bool flow(struct patch_cold_instruction *from, struct patch_cold_instruction *to)
{
	const uint8_t forward = to->flows | (from->flows & FROM);
	const uint8_t back = from->flows | (to->flows & TO);
	const bool is_new = forward != to->flows || back != from->flows;

	to->flows = forward;
	from->flows = back;
	return is_new;
}

static bool flow_from(struct patch_cold *cold, size_t index)
{
	struct patch_cold_instruction *place = &cold->places[index];
	bool is_new = false;

	if (place->falls_through && index + 1 < cold->place_count)
		is_new = flow(place, place + 1);
	if (place->to != NO_PLACE)
		is_new |= flow(place, &cold->places[place->to]);
	return is_new;
}

/* False: it takes too long. */
static bool spread(struct patch_cold *cold)
{
	bool is_new = true;

	for (unsigned round = 0; is_new; round++) {
		if (round == ROUNDS_MAX)
			return false;
		is_new = false;
		for (size_t i = 0; i < cold->place_count; i++)
			is_new |= flow_from(cold, i);
		for (size_t i = cold->place_count; i-- > 0;)
			is_new |= flow_from(cold, i);
	}
	return true;
}

static bool patchcold_is_inside(const struct patch_cold_instruction *place)
{
	return (place->flows & (FROM_LOOP | TO_LOOP)) == (FROM_LOOP | TO_LOOP);
}

/* What is entered other than by jumps is entered by tables or exceptions, or in an unknown way. */
static uint8_t flows_of_entered(const struct patch_cold *cold, bool has_inside, bool has_outside)
{
	if (cold->has_handlers || has_inside == has_outside)
		return FROM;
	return has_inside ? FROM_LOOP : FROM_OUTSIDE;
}

bool patchcold_divide(struct patch_cold *cold, const struct patch_range *loop, bool has_inside,
		      bool has_outside)
{
	const uint8_t entered = flows_of_entered(cold, has_inside, has_outside);

	if (!cold->is_known || !seed_flows(cold, loop, entered) || !spread(cold))
		return false;
	for (size_t i = 0; i < cold->place_count; i++) {
		const struct patch_cold_instruction *place = &cold->places[i];

		if (patchcold_is_inside(place) && place->flows & FROM_OUTSIDE)
			return false; /* the same code serves outside of the loop */
		if (place->is_entered && has_inside && !patchcold_is_inside(place) &&
		    place->flows & TO)
			return false; /* a table leads out of the loop */
	}
	return true;
}

bool patchcold_has(const struct patch_cold *cold, uint64_t address)
{
	return place_at(cold, address) != NO_PLACE;
}

bool patchcold_falls_through(const struct patch_cold *cold, uint64_t address)
{
	uint32_t index = place_at(cold, address);

	return index != NO_PLACE && cold->places[index].falls_through;
}

enum patch_side patchcold_side(const struct patch_cold *cold, uint64_t address)
{
	uint32_t index = place_at(cold, address);

	if (index == NO_PLACE || !(cold->places[index].flows & TO))
		return PATCH_SIDE_NO_RETURN;
	return patchcold_is_inside(&cold->places[index]) ? PATCH_SIDE_INSIDE : PATCH_SIDE_OUTSIDE;
}
