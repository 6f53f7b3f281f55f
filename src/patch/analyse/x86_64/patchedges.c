/* Edges of loops.  An edge is a jump into or out of the loop, or a place where code falls through
 * into its first byte or past its last one.  Its instruction becomes a jump to a trampoline,
 * together with instructions before it where it is too short. */
#include "patch/analyse/x86_64/patchedges.h"

#include "base/array.h"
#include "patch/analyse/file/patchframes.h"
#include "patch/analyse/file/patchimports.h"
#include "patch/analyse/x86_64/patchbytes.h"
#include "patch/analyse/x86_64/return_use.h"

struct search { /* for the edges of one loop */
	struct patch_module *module;
	struct patch_loop *loop;
	const struct patch_function *function;
	const struct patch_branches *branches;
	const struct patch_cold *cold; /* its function's parts */
	struct patch_loops *out;
	enum plan_reason reason; /* why it is not patched */
	bool is_short_of_memory;
};

static bool patchedges_is_inside(const struct search *search, uint64_t address)
{
	return address >= search->loop->start && address < search->loop->end;
}

static enum patch_side side_of(const struct search *search, uint64_t address)
{
	if (address - search->function->address >= search->function->size)
		return patchcold_side(search->cold, address);
	return patchedges_is_inside(search, address) ? PATCH_SIDE_INSIDE : PATCH_SIDE_OUTSIDE;
}

static enum patch_step step_between(const struct search *search, uint64_t from, uint64_t to)
{
	enum patch_side before = side_of(search, from), then = side_of(search, to);

	if (then == PATCH_SIDE_NO_RETURN || before == then)
		return PATCH_STEP_NONE; /* leaving the function ends its loops */
	return then == PATCH_SIDE_INSIDE ? PATCH_STEP_ENTER : PATCH_STEP_LEAVE;
}

static bool patchedges_find_frame(const struct patch_module *module, uint64_t address,
				  struct patch_frame_at *out)
{
	const struct cfi_fde *fde = patchframes_at(module, address);
	struct cfi_row row;

	if (!fde || !cfi_find_in(&module->frames, fde, address, &row) ||
	    (row.cfa != CFI_CFA_STACK && row.cfa != CFI_CFA_FRAME))
		return false;
	out->offset = row.cfa_offset;
	out->is_from_frame = row.cfa == CFI_CFA_FRAME;
	return true;
}

/* The return address of a call made with an empty frame would be at the loop's slot. */
static bool calls_without_frame_at(const struct search *search, uint64_t address,
				   const struct patch_code *code)
{
	struct patch_frame_at frame;

	return (code->kind == PATCH_CODE_CALL || code->kind == PATCH_CODE_CALL_INDIRECT) &&
	       (!patchedges_find_frame(search->module, address, &frame) ||
		(!frame.is_from_frame && frame.offset <= 8));
}

static bool calls_without_frame(const struct search *search)
{
	const struct patch_cold *cold = search->cold;
	struct patch_code code;

	for (uint64_t at = search->loop->start; at < search->loop->end; at += code.length)
		if (!patchbytes_code(search->module, at, &code) ||
		    calls_without_frame_at(search, at, &code))
			return true;
	for (size_t i = 0; i < cold->place_count; i++) {
		uint64_t at = cold->places[i].address;

		if (patchcold_side(cold, at) == PATCH_SIDE_INSIDE &&
		    (!patchbytes_code(search->module, at, &code) ||
		     calls_without_frame_at(search, at, &code)))
			return true;
	}
	return false;
}

static bool edge_is_in(uint64_t start, uint64_t size, const struct patch_edge *edge)
{
	return start < edge->at + edge->displaced && edge->at < start + size;
}

/* The instructions that entry and exits displace are executed elsewhere. */
static bool patchedges_is_displaced(const struct search *search, const struct patch_edge *edge)
{
	const struct patch_function *function = search->function;

	if (edge_is_in(function->entry.at, function->entry.displaced, edge))
		return true;
	for (uint32_t i = 0; i < function->exit_count; i++) {
		const struct patch_exit *exit = &search->module->exits[function->first_exit + i];

		if (edge_is_in(exit->at, exit->displaced, edge))
			return true;
	}
	for (uint32_t i = search->loop->first_edge; i < search->out->edge_count; i++)
		if (edge_is_in(search->out->edges[i].at, search->out->edges[i].displaced, edge))
			return true;
	return patchbytes_is_taken(search->module, edge->at, edge->displaced);
}

/* The callee does not read its return address, and no exception is handled here: handlers are found
 * by it. */
static bool can_move_call(const struct search *search, uint64_t target)
{
	const struct patch_function *called = patchmodule_function_at(search->module, target);
	const char *import = patchimports_stub(search->module, target);

	if (search->function->has_handlers)
		return false;
	if (import[0])
		return !return_use_is_special(import);
	return called && called->address == target && called->is_callable;
}

/* It can be relocated, and is no edge itself. */
static bool patchedges_can_move(const struct search *search, uint64_t address)
{
	struct patch_code code;

	if (!patchbytes_code(search->module, address, &code))
		return false;
	switch (code.kind) {
	case PATCH_CODE_CONDITIONAL:
		return step_between(search, address, patchcode_target(&code, address)) ==
		       PATCH_STEP_NONE;
	case PATCH_CODE_CALL:
		return can_move_call(search, patchcode_target(&code, address));
	default:
		return code.kind == PATCH_CODE_PLAIN;
	}
}

/* Start of the function or FDE. */
static uint64_t start_at(const struct search *search, uint64_t address)
{
	return patchmodule_function_at(search->module, address)->address;
}

/* Include preceding instructions until a jump fits. */
static bool patchedges_find_space(const struct search *search, struct patch_edge *edge)
{
	const struct patch_module *module = search->module;
	const uint64_t start = start_at(search, edge->at);

	while (edge->displaced < PATCH_JUMP_BYTES) {
		uint64_t before = patchbytes_before(module, edge->at, start);

		if (before == 0 || patchmodule_is_target(module, edge->at) ||
		    step_between(search, before, edge->at) != PATCH_STEP_NONE ||
		    !patchedges_can_move(search, before))
			return false;
		edge->displaced = (uint8_t)(edge->displaced + (edge->at - before));
		edge->at = before;
	}
	return !patchbytes_is_entered(module, edge->at, edge->at + edge->displaced) &&
	       !patchedges_is_displaced(search, edge);
}

static bool patchedges_add_edge(struct search *search, const struct patch_edge *edge)
{
	struct patch_loops *out = search->out;
	struct patch_edge *grown =
		array_grow(out->edges, &out->edge_capacity, out->edge_count + 1, sizeof(*grown));

	if (!grown) {
		search->is_short_of_memory = true;
		return false;
	}
	out->edges = grown;
	grown[out->edge_count++] = *edge;
	patchbytes_take(search->module, edge->at, edge->displaced, true);
	return true;
}

static bool patchedges_give_up(struct search *search, enum plan_reason reason)
{
	search->reason = reason;
	return false;
}

static bool can_fall_through(const struct patch_code *code)
{
	return code->kind == PATCH_CODE_PLAIN || code->kind == PATCH_CODE_CONDITIONAL ||
	       code->kind == PATCH_CODE_LOOP || code->kind == PATCH_CODE_CALL ||
	       code->kind == PATCH_CODE_CALL_INDIRECT;
}

/* Falls through to the next instruction, in the same function or FDE. */
static bool edge_falls_through(const struct search *search, uint64_t address,
			       const struct patch_code *code)
{
	const struct patch_function *function = search->function;

	if (address - function->address >= function->size)
		return patchcold_falls_through(search->cold, address);
	return can_fall_through(code) &&
	       address + code->length - function->address < function->size;
}

/* Record the instruction at address as an edge if it enters or leaves the loop. */
static bool patchedges_see(struct search *search, uint64_t address, const struct patch_code *code)
{
	const uint64_t behind = address + code->length;
	const bool is_jump = code->kind == PATCH_CODE_JUMP || code->kind == PATCH_CODE_CONDITIONAL;
	const uint64_t target = patchcode_target(code, address);
	struct patch_edge edge = {.at = address, .instruction = address, .displaced = code->length};

	if (is_jump || code->kind == PATCH_CODE_LOOP)
		edge.taken = (uint8_t)step_between(search, address, target);
	if (edge_falls_through(search, address, code))
		edge.falls = (uint8_t)step_between(search, address, behind);
	if (edge.taken == PATCH_STEP_NONE && edge.falls == PATCH_STEP_NONE)
		return true;
	if (!is_jump && !patchedges_can_move(search, address))
		return patchedges_give_up(search, PLAN_NOT_MOVABLE);
	if ((edge.taken && !patchedges_find_frame(search->module, target, &edge.taken_frame)) ||
	    (edge.falls && !patchedges_find_frame(search->module, behind, &edge.falls_frame)))
		return patchedges_give_up(search, PLAN_NO_FRAME_RULE);
	if (!patchedges_find_space(search, &edge))
		return patchedges_give_up(search, PLAN_NO_EXIT_SPACE);
	return patchedges_add_edge(search, &edge);
}

/* Padding after a jump: never executed. */
static bool is_padding(const struct search *search, uint64_t address)
{
	const struct patch_module *module = search->module;
	struct patch_code code;

	while (patchbytes_code(module, address, &code) && patchcode_is_nop(&code)) {
		if (patchmodule_is_target(module, address))
			return false;
		address = patchbytes_before(module, address, search->function->address);
		if (address == 0)
			return false;
	}
	return !can_fall_through(&code);
}

/* Fall-through from the instruction before the loop; jumps are handled separately. */
static bool see_front(struct search *search)
{
	uint64_t before =
		patchbytes_before(search->module, search->loop->start, search->function->address);
	struct patch_code code;

	if (before == 0 || !patchbytes_code(search->module, before, &code) ||
	    code.kind == PATCH_CODE_JUMP || code.kind == PATCH_CODE_CONDITIONAL ||
	    code.kind == PATCH_CODE_LOOP || is_padding(search, before))
		return true;
	return patchedges_see(search, before, &code);
}

/* Fall-through in the parts between code inside and outside of the loop; jumps are handled
 * separately. */
static bool see_fragments(struct search *search)
{
	const struct patch_cold *cold = search->cold;
	struct patch_code code;

	for (size_t i = 0; i + 1 < cold->place_count; i++) {
		const struct patch_cold_instruction *place = &cold->places[i];

		if (!place->falls_through || place->is_jump ||
		    step_between(search, place->address, place[1].address) == PATCH_STEP_NONE)
			continue;
		if (!patchbytes_code(search->module, place->address, &code))
			return patchedges_give_up(search, PLAN_UNDECODED);
		if (!patchedges_see(search, place->address, &code))
			return false;
	}
	return true;
}

/* Jumps of the whole function, and fall-through into the loop and at its end. */
static bool patchedges_see_all(struct search *search)
{
	const struct patch_module *module = search->module;
	struct patch_code code;

	if (!see_front(search) || !see_fragments(search))
		return false;
	for (size_t i = 0; i < search->branches->count; i++) {
		uint64_t address = search->branches->items[i].address;

		if (!patchbytes_code(module, address, &code))
			return patchedges_give_up(search, PLAN_UNDECODED);
		if (!patchedges_see(search, address, &code))
			return false;
	}
	return true;
}

/* Nothing is written for a loop unless all of its edges can be patched. */
static void patchedges_undo(struct search *search)
{
	struct patch_loops *out = search->out;

	for (size_t i = search->loop->first_edge; i < out->edge_count; i++)
		patchbytes_take(search->module, out->edges[i].at, out->edges[i].displaced, false);
	out->edge_count = search->loop->first_edge;
}

bool patchedges_find(struct patch_module *module, struct patch_loop *loop,
		     const struct patch_branches *branches, const struct patch_cold *cold,
		     struct patch_loops *loops)
{
	struct search search = {.module = module,
				.loop = loop,
				.function = &module->functions[loop->function],
				.branches = branches,
				.cold = cold,
				.out = loops,
				.reason = PLAN_FINE};

	if (loop->start == search.function->address || loop->start < search.function->entry.at)
		search.reason = PLAN_BRANCH_INTO_ENTRY;
	else if (calls_without_frame(&search))
		search.reason = PLAN_NO_FRAME_RULE;
	else if (!patchedges_see_all(&search))
		patchedges_undo(&search);
	loop->edge_count = (uint32_t)(loops->edge_count - loop->first_edge);
	loop->reason = (uint8_t)search.reason;
	return !search.is_short_of_memory;
}
