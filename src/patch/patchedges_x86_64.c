/* Edges of loops.  An edge is a jump from outside in or from inside out, or the place where code
 * goes on into the loop's first byte or past its last one.  The instruction that makes it becomes a
 * jump to a trampoline, with instructions in front of it where it is too short. */
#include "patch/patchedges.h"

#include "base/array.h"

struct search { /* for the edges of one loop */
	struct patch_module *module;
	struct patch_loop *loop;
	const struct patch_function *function;
	const struct patch_branches *branches;
	struct patch_loops *out;
	enum plan_reason reason; /* why it is left alone */
	bool is_short_of_memory;
};

static bool is_inside(const struct search *search, uint64_t address)
{
	return address >= search->loop->start && address < search->loop->end;
}

static bool is_in_function(const struct search *search, uint64_t address)
{
	return address - search->function->address < search->function->size;
}

static enum patch_step step_between(const struct search *search, uint64_t from, uint64_t to)
{
	if (!is_in_function(search, to) || is_inside(search, from) == is_inside(search, to))
		return PATCH_STEP_NONE; /* what leaves the function ends its loops */
	return is_inside(search, to) ? PATCH_STEP_ENTER : PATCH_STEP_LEAVE;
}

/* ---- where the frame is -----------------------------------------------------------------------
 */

static bool find_frame(const struct patch_module *module, uint64_t address,
		       struct patch_frame_at *out)
{
	const struct cfi_part *part = patchsweep_part(module, address);
	struct cfi_row row;

	if (!part || !cfi_find_in(&module->frames, part, address, &row) ||
	    (row.cfa != CFI_CFA_STACK && row.cfa != CFI_CFA_FRAME))
		return false;
	out->offset = row.cfa_offset;
	out->is_from_frame = row.cfa == CFI_CFA_FRAME;
	return true;
}

/* What a loop calls while nothing is on the stack would have its return address where the loop's
 * place is. */
static bool calls_without_frame(const struct search *search)
{
	struct patch_frame_at frame;
	struct patch_code code;

	for (uint64_t at = search->loop->start; at < search->loop->end; at += code.length) {
		if (!patchdecide_code(search->module, at, &code))
			return true;
		if (code.kind != PATCH_CODE_CALL && code.kind != PATCH_CODE_CALL_THROUGH)
			continue;
		if (!find_frame(search->module, at, &frame) ||
		    (!frame.is_from_frame && frame.offset <= 8))
			return true;
	}
	return false;
}

/* ---- room -------------------------------------------------------------------------------------
 */

static bool meets(uint64_t start, uint64_t size, const struct patch_edge *edge)
{
	return start < edge->at + edge->displaced && edge->at < start + size;
}

/* What the function's entry and exits take along is executed elsewhere. */
static bool is_displaced(const struct search *search, const struct patch_edge *edge)
{
	const struct patch_function *function = search->function;

	if (meets(function->entry.at, function->entry.displaced, edge))
		return true;
	for (uint32_t i = 0; i < function->exit_count; i++) {
		const struct patch_exit *exit = &search->module->exits[function->first_exit + i];

		if (meets(exit->at, exit->displaced, edge))
			return true;
	}
	for (uint32_t i = search->loop->first_edge; i < search->out->edge_count; i++)
		if (meets(search->out->edges[i].at, search->out->edges[i].displaced, edge))
			return true;
	return patchdecide_is_taken(search->module, edge->at, edge->displaced);
}

/* What is called does not look where from, and no exception is handled here: handlers are found
 * by that. */
static bool can_move_call(const struct search *search, uint64_t target)
{
	const struct patch_function *called = patchmodule_function_at(search->module, target);
	const char *import = patchimports_stub(search->module, target);

	if (search->function->has_handlers)
		return false;
	if (import[0])
		return !patchdecide_is_special(import);
	return called && called->address == target && called->is_callable;
}

/* It can be done elsewhere, and makes no edge itself. */
static bool can_move(const struct search *search, uint64_t address)
{
	struct patch_code code;

	if (!patchdecide_code(search->module, address, &code))
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

/* Take instructions in front into it until there is room. */
static bool find_room(const struct search *search, struct patch_edge *edge)
{
	const struct patch_module *module = search->module;

	while (edge->displaced < PATCH_JUMP_BYTES) {
		uint64_t before = patchdecide_before(module, edge->at, search->function->address);

		if (before == 0 || patchmodule_is_target(module, edge->at) ||
		    !can_move(search, before))
			return false;
		edge->displaced = (uint8_t)(edge->displaced + (edge->at - before));
		edge->at = before;
	}
	return !patchdecide_is_entered(module, edge->at, edge->at + edge->displaced) &&
	       !is_displaced(search, edge);
}

static bool add_edge(struct search *search, const struct patch_edge *edge)
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
	patchdecide_take(search->module, edge->at, edge->displaced, true);
	return true;
}

static bool give_up(struct search *search, enum plan_reason reason)
{
	search->reason = reason;
	return false;
}

/* ---- one edge ---------------------------------------------------------------------------------
 */

static bool goes_on(const struct patch_code *code)
{
	return code->kind == PATCH_CODE_PLAIN || code->kind == PATCH_CODE_CONDITIONAL ||
	       code->kind == PATCH_CODE_LOOP || code->kind == PATCH_CODE_CALL ||
	       code->kind == PATCH_CODE_CALL_THROUGH;
}

/* The instruction at address, when it enters or leaves the loop. */
static bool see(struct search *search, uint64_t address, const struct patch_code *code)
{
	const uint64_t behind = address + code->length;
	const bool is_jump = code->kind == PATCH_CODE_JUMP || code->kind == PATCH_CODE_CONDITIONAL;
	const uint64_t target = patchcode_target(code, address);
	struct patch_edge edge = {.at = address, .instruction = address, .displaced = code->length};

	if (is_jump || code->kind == PATCH_CODE_LOOP)
		edge.taken = (uint8_t)step_between(search, address, target);
	if (goes_on(code))
		edge.falls = (uint8_t)step_between(search, address, behind);
	if (edge.taken == PATCH_STEP_NONE && edge.falls == PATCH_STEP_NONE)
		return true;
	if (!is_jump && !can_move(search, address))
		return give_up(search, PLAN_NOT_MOVABLE);
	if ((edge.taken && !find_frame(search->module, target, &edge.taken_frame)) ||
	    (edge.falls && !find_frame(search->module, behind, &edge.falls_frame)))
		return give_up(search, PLAN_NO_FRAME_RULE);
	if (!find_room(search, &edge))
		return give_up(search, PLAN_NO_EXIT_ROOM);
	return add_edge(search, &edge);
}

/* Padding behind a jump: nobody comes by it. */
static bool is_padding(const struct search *search, uint64_t address)
{
	const struct patch_module *module = search->module;
	struct patch_code code;

	while (patchdecide_code(module, address, &code) && patchcode_is_nop(&code)) {
		if (patchmodule_is_target(module, address))
			return false;
		address = patchdecide_before(module, address, search->function->address);
		if (address == 0)
			return false;
	}
	return !goes_on(&code);
}

/* The instruction in front of the loop; jumps are seen by themselves. */
static bool see_front(struct search *search)
{
	uint64_t before =
		patchdecide_before(search->module, search->loop->start, search->function->address);
	struct patch_code code;

	if (before == 0 || !patchdecide_code(search->module, before, &code) ||
	    code.kind == PATCH_CODE_JUMP || code.kind == PATCH_CODE_CONDITIONAL ||
	    code.kind == PATCH_CODE_LOOP || is_padding(search, before))
		return true;
	return see(search, before, &code);
}

/* Jumps of the whole function, and what is in front of the loop and at its end. */
static bool see_all(struct search *search)
{
	const struct patch_module *module = search->module;
	struct patch_code code;

	if (!see_front(search))
		return false;
	for (size_t i = 0; i < search->branches->count; i++) {
		uint64_t address = search->branches->items[i].address;

		if (!patchdecide_code(module, address, &code))
			return give_up(search, PLAN_UNDECODED);
		if (!see(search, address, &code))
			return false;
	}
	return true;
}

/* Nothing is written for a loop of which not every edge can be had. */
static void take_back(struct search *search)
{
	struct patch_loops *out = search->out;

	for (size_t i = search->loop->first_edge; i < out->edge_count; i++)
		patchdecide_take(search->module, out->edges[i].at, out->edges[i].displaced, false);
	out->edge_count = search->loop->first_edge;
}

bool patchedges_find(struct patch_module *module, struct patch_loop *loop,
		     const struct patch_branches *branches, struct patch_loops *loops)
{
	struct search search = {.module = module,
				.loop = loop,
				.function = &module->functions[loop->function],
				.branches = branches,
				.out = loops,
				.reason = PLAN_FINE};

	if (loop->start == search.function->address || loop->start < search.function->entry.at)
		search.reason = PLAN_BRANCH_INTO_ENTRY;
	else if (calls_without_frame(&search))
		search.reason = PLAN_NO_FRAME_RULE;
	else if (!see_all(&search))
		take_back(&search);
	loop->edge_count = (uint32_t)(loops->edge_count - loop->first_edge);
	loop->reason = (uint8_t)search.reason;
	return !search.is_short_of_memory;
}
