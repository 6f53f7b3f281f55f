/* Loops by their backward jumps: ranges of code from the lowest target of a backward jump to the
 * highest backward jump, overlapping ones merged. */
#include "patch/analyse/patchloops.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "patch/analyse/file/patchimports.h"
#include "patch/analyse/patchdecision.h"
#include "patch/analyse/x86_64/patchedges.h"
#include "patch/analyse/x86_64/patchbytes.h"
#include "patch/analyse/x86_64/patchways.h"

#define OPCODE_STD 0xfd /* sets the direction flag, which Kymo's own code needs clear */

struct finder {
	struct patch_module *module;
	struct patch_loops *out;
	struct patch_branches branches; /* of the current function */
	struct patch_range *ranges;	/* of its loops, by address */
	size_t range_count, range_capacity;
	struct patch_ways ways;
	bool is_short_of_memory;
};

static bool add_branch(struct finder *finder, uint64_t address, const struct patch_code *code)
{
	struct patch_branches *branches = &finder->branches;
	struct patch_branch *grown = array_grow(branches->items, &branches->capacity,
						branches->count + 1, sizeof(*grown));

	if (!grown) {
		finder->is_short_of_memory = true;
		return false;
	}
	branches->items = grown;
	grown[branches->count++] =
		(struct patch_branch){address, patchcode_target(code, address), code->kind};
	return true;
}

/* Such a call may return again at any later time. */
static bool returns_twice(const struct patch_module *module, uint64_t address,
			  const struct patch_code *code)
{
	static const char *const names[] = {"setjmp", "sigsetjmp", "getcontext", "vfork", NULL};
	const char *name = "";

	if (code->kind == PATCH_CODE_CALL)
		name = patchimports_stub(module, patchcode_target(code, address));
	else if (code->kind == PATCH_CODE_CALL_INDIRECT && code->is_rip_relative)
		name = patchimports_word(module, patchcode_operand(code, address));
	name += strspn(name, "_");
	for (const char *const *at = names; *at; at++) {
		size_t length = strlen(*at);

		if (strncmp(name, *at, length) == 0 &&
		    (name[length] == '\0' || name[length] == '@'))
			return true;
	}
	return false;
}

/* All direct jumps of it or of a part; *backwards_out: how many of them are backward and within it.
 * False: it cannot have loops. */
static bool find_branches_of(struct finder *finder, const struct patch_function *function,
			     size_t *backwards_out)
{
	const uint64_t end = function->address + function->size;
	struct patch_code code;

	*backwards_out = 0;
	for (uint64_t at = function->address; at < end; at += code.length) {
		if (!patchbytes_code(finder->module, at, &code) ||
		    (code.map == 1 && code.opcode == OPCODE_STD))
			return false;
		finder->branches.has_returns_twice |= returns_twice(finder->module, at, &code);
		if (code.kind != PATCH_CODE_JUMP && code.kind != PATCH_CODE_CONDITIONAL &&
		    code.kind != PATCH_CODE_LOOP)
			continue;
		if (!add_branch(finder, at, &code))
			return false;
		*backwards_out += patchcode_target(&code, at) <= at &&
				  patchcode_target(&code, at) >= function->address;
	}
	return true;
}

/* And of its parts; 0 = there are no loops. */
static size_t find_branches(struct finder *finder, uint32_t index)
{
	const struct patch_module *module = finder->module;
	const struct patch_cold *cold = &finder->ways.cold;
	size_t backwards, of_fragment;

	finder->branches.count = 0;
	finder->branches.has_returns_twice = false;
	if (!find_branches_of(finder, &module->functions[index], &backwards) || backwards == 0)
		return 0;
	for (uint32_t part = cold->first_fragments[index]; part != PATCH_NO_FUNCTION;
	     part = cold->next_fragments[part])
		if (!find_branches_of(finder, &module->functions[part], &of_fragment))
			return 0;
	return backwards;
}

static int compare_ranges(const void *left, const void *right)
{
	const struct patch_range *a = left, *b = right;

	return a->start < b->start ? -1 : a->start > b->start;
}

static bool patchloops_add_range(struct finder *finder, uint64_t start, uint64_t end)
{
	struct patch_range *grown = array_grow(finder->ranges, &finder->range_capacity,
					       finder->range_count + 1, sizeof(*grown));

	if (!grown) {
		finder->is_short_of_memory = true;
		return false;
	}
	finder->ranges = grown;
	grown[finder->range_count++] = (struct patch_range){start, end};
	return true;
}

/* Merge overlapping ranges. */
static void join_ranges(struct finder *finder)
{
	struct patch_range *ranges = finder->ranges;
	size_t count = 0;

	qsort(ranges, finder->range_count, sizeof(*ranges), compare_ranges);
	for (size_t i = 0; i < finder->range_count; i++) {
		if (count > 0 && ranges[i].start < ranges[count - 1].end) {
			if (ranges[i].end > ranges[count - 1].end)
				ranges[count - 1].end = ranges[i].end;
		} else {
			ranges[count++] = ranges[i];
		}
	}
	finder->range_count = count;
}

static bool find_ranges(struct finder *finder, const struct patch_function *function)
{
	const struct patch_branches *branches = &finder->branches;
	struct patch_code code;

	finder->range_count = 0;
	for (size_t i = 0; i < branches->count; i++) {
		const struct patch_branch *branch = &branches->items[i];

		if (branch->target > branch->address || branch->target < function->address ||
		    branch->address - function->address >= function->size ||
		    !patchbytes_code(finder->module, branch->address, &code))
			continue;
		if (!patchloops_add_range(finder, branch->target, branch->address + code.length))
			return false;
	}
	join_ranges(finder);
	return true;
}

static uint32_t count_instructions(const struct patch_module *module,
				   const struct patch_range *range)
{
	struct patch_code code;
	uint32_t count = 0;

	for (uint64_t at = range->start; at < range->end; at += code.length, count++)
		if (!patchbytes_code(module, at, &code))
			break;
	return count;
}

static bool add_loop(struct finder *finder, uint32_t function, const struct patch_range *range,
		     bool is_known)
{
	struct patch_loops *out = finder->out;
	struct patch_loop *grown =
		array_grow(out->loops, &out->capacity, out->count + 1, sizeof(*grown));
	struct patch_loop *loop;

	if (!grown)
		return false;
	out->loops = grown;
	loop = &grown[out->count++];
	*loop = (struct patch_loop){.start = range->start,
				    .end = range->end,
				    .function = function,
				    .instructions = count_instructions(finder->module, range),
				    .first_edge = (uint32_t)out->edge_count,
				    .reason = PLAN_UNKNOWN_JUMPS};
	return !is_known ||
	       patchedges_find(finder->module, loop, &finder->branches, &finder->ways.cold, out);
}

static bool patchloops_find_in(struct finder *finder, uint32_t index)
{
	const struct patch_function *function = &finder->module->functions[index];

	if (find_branches(finder, index) == 0)
		return !finder->is_short_of_memory;
	if (!patchways_of(&finder->ways, index, &finder->branches))
		return false;
	if (!find_ranges(finder, function))
		return false;
	for (size_t i = 0; i < finder->range_count; i++) {
		bool is_known = patchways_are_known(&finder->ways, &finder->ranges[i]);
		if (!add_loop(finder, index, &finder->ranges[i], is_known))
			return false;
	}
	return true;
}

enum kymo_status patchloops_find(struct patch_module *module, struct patch_loops *out,
				 struct problem *problem)
{
	struct finder finder = {.module = module, .out = out};
	bool is_good;

	memset(out, 0, sizeof(*out));
	is_good = patchways_begin(&finder.ways, module);
	for (size_t i = 0; i < module->function_count && is_good; i++) {
		const struct patch_function *function = &module->functions[i];

		if ((function->way == PLAN_WAY_EXITS || function->way == PLAN_WAY_CALL) &&
		    function->flags & PLAN_FUNCTION_LOOPS)
			is_good = patchloops_find_in(&finder, (uint32_t)i);
	}
	for (size_t i = 0; i < out->edge_count; i++)
		patchbytes_take(module, out->edges[i].at, out->edges[i].displaced, false);
	free(finder.branches.items);
	free(finder.ranges);
	patchways_release(&finder.ways);
	return is_good ? KYMO_OK
		       : problem_set(problem, KYMO_MEMORY, "out of memory for the loops of '%s'",
				     module->path);
}

void patchloops_release(struct patch_loops *loops)
{
	free(loops->loops);
	free(loops->edges);
	memset(loops, 0, sizeof(*loops));
}
