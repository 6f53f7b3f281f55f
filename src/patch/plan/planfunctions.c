/* What a plan changes in each function and loop: the jumps to its code as writes, names. */
#include "patch/plan/planfunctions.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "patch/analyse/patchprocessor.h"
#include "patch/plan/planmaker.h"
#include "patch/plan/x86_64/planloops.h"

#define SHORT_BYTES 2u

static bool add_write(struct plan_maker *maker, uint64_t address, const void *after, uint8_t size,
		      uint8_t distance_at)
{
	const unsigned char *before = patchmodule_at(maker->module, address, size);
	uint64_t offset = address - maker->header.text_start;
	struct plan_write *grown, *write;

	grown = array_grow(maker->writes, &maker->write_capacity, maker->write_count + 1,
			   sizeof(*grown));
	if (grown)
		maker->writes = grown;
	if (!before || !grown || offset > UINT32_MAX)
		return false;
	write = &grown[maker->write_count++];
	memset(write, 0, sizeof(*write));
	write->offset = (uint32_t)offset;
	write->size = size;
	write->distance_at = distance_at;
	memcpy(write->before, before, size);
	memcpy(write->after, after, size);
	return true;
}

static bool add_jump(struct plan_maker *maker, const struct plan_jump *jump)
{
	uint64_t at = jump->cave ? jump->cave : jump->at;
	const struct patch_processor *processor = maker->module->processor;
	uint8_t far[PLAN_PATCH_MAX], near[SHORT_BYTES] = {0xeb};
	int64_t distance;

	if (!processor->jump(at, maker->addresses.hot + jump->hot, far) ||
	    !add_write(maker, at, far, processor->jump_bytes, processor->jump_distance_at))
		return false;
	if (!jump->cave)
		return true;
	distance = (int64_t)(jump->cave - (jump->at + SHORT_BYTES));
	near[1] = (uint8_t)distance;
	return distance == (int8_t)distance && add_write(maker, jump->at, near, sizeof(near), 0);
}

/* On some processors jumps do not reach across a large file. */
static bool is_in_reach(const struct plan_maker *maker, const struct plan_jump *jumps,
			uint32_t count)
{
	uint8_t bytes[PLAN_PATCH_MAX];

	for (uint32_t i = 0; i < count; i++) {
		const struct plan_jump *jump = &jumps[i];

		if (!maker->module->processor->jump(jump->cave ? jump->cave : jump->at,
						    maker->addresses.hot + jump->hot, bytes))
			return false;
	}
	return true;
}

static bool is_claimed(const struct plan_maker *maker, const struct plan_write *write)
{
	uint64_t into = write->offset;

	if (into + write->size > maker->header.text_end - maker->header.text_start)
		return true;
	for (unsigned i = 0; i < write->size; i++)
		if (maker->claimed[(into + i) / 8] & 1u << (into + i) % 8)
			return true;
	return false;
}

/* Each byte is written for one reason only.  False: one of the writes from first on conflicts. */
static bool planfunctions_claim(struct plan_maker *maker, size_t first)
{
	for (size_t k = first; k < maker->write_count; k++) {
		uint64_t into = maker->writes[k].offset;

		if (is_claimed(maker, &maker->writes[k]))
			return false;
		for (unsigned i = 0; i < maker->writes[k].size; i++)
			maker->claimed[(into + i) / 8] |= (uint8_t)(1u << (into + i) % 8);
	}
	return true;
}

static uint32_t planfunctions_add_name(struct plan_maker *maker, const char *name)
{
	struct plan_stretch *names = &maker->names;
	size_t size = strlen(name) + 1, at = names->size;

	if (size == 1 && at > 0)
		return 0;
	if (at + size > names->capacity) {
		uint8_t *grown = array_grow(names->bytes, &names->capacity, at + size, 1);

		if (!grown) {
			maker->blob.is_failed = true;
			return 0;
		}
		names->bytes = grown;
	}
	memcpy(names->bytes + at, name, size);
	names->size += size;
	return (uint32_t)at;
}

/* Jumps become writes, and the function gets way, unless other writes conflict.  emitted: NULL = it
 * is a loop. */
static bool write_jumps(struct plan_maker *maker, uint32_t index,
			const struct plan_emitted *emitted, const struct plan_jump *jumps,
			uint32_t jump_count, enum plan_way way)
{
	struct plan_function *function = &maker->functions[index];
	size_t first = function->first_write;

	if (planemission_has_code(way) && !is_in_reach(maker, jumps, jump_count)) {
		function->reason = PLAN_TOO_FAR;
		way = PLAN_WAY_NONE;
	}
	for (uint32_t i = 0; planemission_has_code(way) && i < jump_count; i++)
		if (!add_jump(maker, &jumps[i]))
			return false;
	if (planemission_has_code(way) && emitted && emitted->nop_bytes > 0 &&
	    !add_write(maker, maker->module->functions[index].hook_call, emitted->nop,
		       emitted->nop_bytes, 0))
		return false;
	if (!planfunctions_claim(maker, first)) {
		maker->write_count = first;
		function->reason = PLAN_OVERLAPPING;
		way = PLAN_WAY_NONE;
	}
	function->way = (uint8_t)way;
	function->write_count = (uint16_t)(maker->write_count - first);
	maker->header.reasons[function->reason]++;
	return maker->write_count - first <= UINT16_MAX && !maker->blob.is_failed;
}

static bool make_function(struct plan_maker *maker, uint32_t index)
{
	const struct plan_emission *emission = &maker->emission;
	const struct patch_function *from = &maker->module->functions[index];
	const struct plan_emitted *emitted = &emission->functions[index];
	struct plan_function *to = &maker->functions[index];

	*to = (struct plan_function){
		.address = from->address,
		.size = (uint32_t)from->size,
		.name = planfunctions_add_name(maker, from->name ? from->name : ""),
		.first_write = (uint32_t)maker->write_count,
		.reason = emitted->reason,
		.instructions = from->instructions,
		.flags =
			(uint16_t)(from->flags | (from->is_callable ? PLAN_FUNCTION_CALLABLE : 0))};
	if (!write_jumps(maker, index, emitted, emission->jumps + emitted->first_jump,
			 emitted->jump_count, (enum plan_way)emitted->way))
		return false;
	to->exits = (uint16_t)(to->way == PLAN_WAY_EXITS ? from->exit_count : 0);
	return true;
}

/* In the plan loops follow the functions. */
static bool make_loop(struct plan_maker *maker, size_t number, struct plan_function_code *code)
{
	const struct patch_loop *loop = &maker->loops.loops[number];
	const uint32_t index = (uint32_t)(maker->module->function_count + number);
	const struct plan_function *function = &maker->functions[loop->function];
	struct plan_function *to = &maker->functions[index];
	enum plan_way way = PLAN_WAY_NONE;

	*to = (struct plan_function){
		.address = loop->start,
		.size = (uint32_t)(loop->end - loop->start),
		.name = function->name,
		.first_write = (uint32_t)maker->write_count,
		.reason = loop->reason,
		.instructions = loop->instructions,
		.exits = (uint16_t)loop->edge_count,
		.flags = (uint16_t)((function->flags &
				     (unsigned)~(PLAN_FUNCTION_TAIL_CALLS | PLAN_FUNCTION_LOOPS)) |
				    PLAN_FUNCTION_LOOP)};
	code->jump_count = 0;
	if (loop->edge_count == 0)
		return write_jumps(maker, index, NULL, code->jumps, code->jump_count, way);
	if (function->way != PLAN_WAY_EXITS && function->way != PLAN_WAY_CALL)
		to->reason = function->reason; /* no record of the function's end would close it */
	else if (planloops_emit(&maker->blob, maker->module, maker->loops.edges + loop->first_edge,
				loop->edge_count, index, code))
		way = PLAN_WAY_EXITS;
	else
		to->reason = PLAN_NOT_MOVABLE;
	return write_jumps(maker, index, NULL, code->jumps, code->jump_count, way);
}

static uint32_t most_edges(const struct patch_loops *loops)
{
	uint32_t most = 0;

	for (size_t i = 0; i < loops->count; i++)
		if (loops->loops[i].edge_count > most)
			most = loops->loops[i].edge_count;
	return most;
}

static enum kymo_status cannot_make(struct plan_maker *maker, const struct patch_function *function)
{
	return problem_set(maker->problem, KYMO_ERROR,
			   "cannot make code for '%s' at 0x%llx of '%s'", function->name,
			   (unsigned long long)function->address, maker->module->path);
}

static enum kymo_status make_all(struct plan_maker *maker, struct plan_function_code *code)
{
	const struct patch_module *module = maker->module;

	for (size_t i = 0; i < module->function_count; i++)
		if (!make_function(maker, (uint32_t)i))
			return cannot_make(maker, &module->functions[i]);
	for (size_t i = 0; i < maker->loops.count; i++)
		if (!make_loop(maker, i, code))
			return cannot_make(maker,
					   &module->functions[maker->loops.loops[i].function]);
	return KYMO_OK;
}

/* Number of functions and loops in the plan. */
static enum kymo_status planfunctions_count(struct plan_maker *maker)
{
	enum kymo_status status = KYMO_OK;

	if (maker->options->kind.variant & PLAN_VARIANT_LOOPS &&
	    maker->module->processor->has_loops)
		status = patchloops_find(maker->module, &maker->loops, maker->problem);
	maker->function_count = maker->module->function_count + maker->loops.count;
	if (status == KYMO_OK && maker->function_count > PATCH_ID_MAX)
		status = problem_set(maker->problem, KYMO_UNAVAILABLE,
				     "'%s' has %zu functions; up to %u can be instrumented",
				     maker->module->path, maker->function_count, PATCH_ID_MAX);
	return status;
}

/* Copies that only count, for all patched functions, and their calls. */
static enum kymo_status planfunctions_make_throttled(struct plan_maker *maker)
{
	if (!(maker->options->kind.variant & PLAN_VARIANT_THROTTLE) ||
	    !maker->module->processor->has_copies)
		return KYMO_OK;
	for (size_t i = 0; i < maker->module->function_count; i++)
		if (maker->functions[i].write_count > 0)
			planthrottle_copy(&maker->throttle, &maker->blob, maker->module,
					  (uint32_t)i, maker->emission.functions[i].body);
	planthrottle_calls(&maker->throttle, maker->module, maker->header.text_start,
			   maker->claimed);
	return maker->throttle.is_failed ? planmaker_no_memory(maker) : KYMO_OK;
}

enum kymo_status planfunctions_make(struct plan_maker *maker)
{
	const uint64_t text = maker->header.text_end - maker->header.text_start;
	struct plan_function_code code = {.jumps = NULL};
	enum kymo_status status = planfunctions_count(maker);

	if (status != KYMO_OK)
		return status;
	maker->functions = calloc(maker->function_count + 1, sizeof(*maker->functions));
	code.jumps = calloc((size_t)most_edges(&maker->loops) + 1, sizeof(*code.jumps));
	maker->claimed = calloc((size_t)(text / 8) + 1, 1);
	planfunctions_add_name(maker, "");
	if (!maker->functions || !code.jumps || !maker->claimed)
		status = planmaker_no_memory(maker);
	else
		status = make_all(maker, &code);
	if (status == KYMO_OK)
		status = planfunctions_make_throttled(maker);
	free(code.jumps);
	return status;
}
