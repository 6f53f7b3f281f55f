/* The exits of a function: for each a place for a jump to its trampoline. */
#include "patch/analyse/x86_64/patchexits.h"

#include <stdlib.h>

#include "base/array.h"
#include "patch/analyse/file/patchimports.h"
#include "patch/analyse/patchindex.h"
#include "patch/analyse/patchfragments.h"
#include "patch/analyse/patchsweep.h"
#include "patch/analyse/x86_64/patchindirect.h"
#include "patch/analyse/x86_64/patchmovable.h"
#include "patch/analyse/x86_64/patchbytes.h"
#include "patch/decode/x86_64/patchflags.h"

#define DISPLACED_MAX  32u /* by an entry that includes a return */
#define FLAGS_BACK_MAX 12u

struct search { /* in one function and its parts */
	struct patch_decision *decision;
	struct patch_function *function;
	uint32_t index;
	size_t first; /* of its exits in decision.exits */
	enum plan_reason reason;
	/* Of the current range: no byte before floor is free. */
	uint64_t start, floor;
};

/* The caller may read flags that are set right before the return and not used, or is known to read
 * them. */
static bool keeps_flags(const struct search *search, uint64_t address)
{
	const struct patch_module *module = search->decision->module;
	struct patch_code code;

	if (patchbits_has(module->sweep->flagged,
			  search->function->address - module->targets_start))
		return true;
	for (unsigned i = 0; i < FLAGS_BACK_MAX; i++) {
		address = patchbytes_before(module, address, search->start);
		if (address == 0 || !patchbytes_code(module, address, &code) ||
		    code.kind != PATCH_CODE_PLAIN)
			return false;
		switch (patchcode_flags(&code)) {
		case PATCH_FLAGS_NONE:
			break;
		case PATCH_FLAGS_COMPARE:
			return true;
		case PATCH_FLAGS_SOME: /* stc, clc, bt: carry as a result */
			return (code.map == 1 && code.opcode >= 0xf8 && code.opcode <= 0xf9) ||
			       (code.map == 2 && (code.opcode == 0xa3 || code.opcode == 0xba));
		case PATCH_FLAGS_READS: /* cmc */
			return code.map == 1 && code.opcode == 0xf5;
		default:
			return false;
		}
	}
	return false;
}

static bool patchexits_can_move(struct patch_decision *decision, uint64_t address, bool with_calls)
{
	struct patch_code code;

	if (!patchbytes_code(decision->module, address, &code))
		return false;
	switch (code.kind) {
	case PATCH_CODE_PLAIN:
	case PATCH_CODE_CONDITIONAL:
		return true;
	case PATCH_CODE_CALL:
	case PATCH_CODE_CALL_INDIRECT:
		return with_calls && patchmovable(decision, address, &code);
	default:
		return false;
	}
}

/* Include preceding instructions until a jump fits. */
static bool take_before(const struct search *search, struct patch_exit *exit, bool with_calls)
{
	const struct patch_module *module = search->decision->module;

	while (exit->displaced < PATCH_JUMP_BYTES) {
		uint64_t before = patchbytes_before(module, exit->at, search->floor);

		if (before == 0 || patchmodule_is_target(module, exit->at) ||
		    !patchexits_can_move(search->decision, before, with_calls))
			return false;
		exit->code = (uint8_t)(exit->code + (exit->at - before));
		exit->displaced = (uint8_t)(exit->displaced + (exit->at - before));
		exit->at = before;
	}
	return !patchbytes_is_entered(module, exit->at, exit->at + PATCH_JUMP_BYTES);
}

static bool take_padding(const struct search *search, struct patch_exit *exit)
{
	unsigned need = PATCH_JUMP_BYTES - exit->code;
	uint64_t behind = exit->instruction + exit->code;

	if (exit->kind == PATCH_EXIT_CONDITIONAL ||
	    patchbytes_padding(search->decision->module, behind, need) < need)
		return false;
	exit->displaced = PATCH_JUMP_BYTES;
	return !patchbytes_is_entered(search->decision->module, exit->at,
				      exit->at + PATCH_JUMP_BYTES);
}

/* Some bytes before and some of the padding after it. */
static bool take_both(const struct search *search, struct patch_exit *exit)
{
	const struct patch_module *module = search->decision->module;
	uint64_t behind = exit->instruction + exit->code;
	unsigned padding = patchbytes_padding(module, behind, PATCH_JUMP_BYTES);

	if (exit->kind == PATCH_EXIT_CONDITIONAL || padding == 0)
		return false;
	exit->displaced = (uint8_t)(exit->code + padding);
	if (!take_before(search, exit, true))
		return false;
	exit->displaced = exit->code > PATCH_JUMP_BYTES ? exit->code : PATCH_JUMP_BYTES;
	return true;
}

/* A short function: its entry includes the exit. */
static bool take_by_entry(const struct search *search, struct patch_exit *exit, unsigned length)
{
	struct patch_function *function = search->function;
	struct patch_entry *entry = &function->entry;
	const struct patch_module *module = search->decision->module;
	uint64_t end = exit->instruction + length, at = entry->at + entry->displaced;
	unsigned instructions = 0;
	struct patch_code code;

	if (search->start != function->address || entry->ends || entry->way == PATCH_ENTRY_HOOK ||
	    exit->kind == PATCH_EXIT_CONDITIONAL || end - entry->at > DISPLACED_MAX ||
	    search->floor > at || patchbytes_is_entered(module, entry->at, end))
		return false;
	for (; at < exit->instruction; at += code.length, instructions++)
		if (!patchexits_can_move(search->decision, at, true) ||
		    !patchbytes_code(module, at, &code))
			return false;
	entry->displaced = (uint8_t)(end - entry->at);
	entry->instructions = (uint8_t)(entry->instructions + instructions + 1);
	entry->ends = true;
	exit->displaced = 0;
	exit->at = exit->instruction;
	return true;
}

static bool patchexits_find_space(const struct search *search, struct patch_exit *exit,
				  unsigned length)
{
	const struct patch_exit plain = *exit;
	bool is_found = length >= PATCH_JUMP_BYTES
				? !patchbytes_is_entered(search->decision->module, exit->at,
							 exit->at + PATCH_JUMP_BYTES)
				: take_padding(search, exit);

	if (is_found)
		return true;
	*exit = plain;
	if (take_before(search, exit, false))
		return true;
	*exit = plain;
	if (take_both(search, exit))
		return true;
	*exit = plain;
	if (take_by_entry(search, exit, length))
		return true;
	*exit = plain;
	return take_before(search, exit, true);
}

static struct patch_exit *new_exit(struct search *search)
{
	struct patch_decision *decision = search->decision;
	struct patch_exit *exits = array_grow(decision->exits, &decision->exit_capacity,
					      decision->exit_count + 1, sizeof(*exits));

	if (!exits) {
		decision->is_short_of_memory = true;
		return NULL;
	}
	decision->exits = exits;
	return &exits[decision->exit_count++];
}

static void patchexits_give_up(struct search *search, enum plan_reason reason)
{
	if (search->reason == PLAN_FINE)
		search->reason = reason;
}

static bool is_within_entry(const struct search *search, uint64_t address)
{
	const struct patch_entry *entry = &search->function->entry;

	return search->start == search->function->address && address >= entry->at &&
	       address < entry->at + entry->displaced;
}

/* Another function's jump may be there already. */
static bool patchexits_is_taken(const struct search *search, const struct patch_exit *exit)
{
	return exit->displaced &&
	       patchbytes_is_taken(search->decision->module, exit->at, PATCH_JUMP_BYTES);
}

static void patchexits_add_exit(struct search *search, const struct patch_event *event,
				enum patch_exit_kind kind, bool is_conditional)
{
	struct patch_exit exit = {.at = event->address,
				  .instruction = event->address,
				  .displaced = event->length,
				  .code = event->length,
				  .kind = (uint8_t)(is_conditional ? PATCH_EXIT_CONDITIONAL : kind),
				  .function = search->index,
				  .target = event->target};
	struct patch_exit *slot;

	if (is_within_entry(search, event->address))
		exit.displaced = 0;
	else if (!patchexits_find_space(search, &exit, event->length) ||
		 patchexits_is_taken(search, &exit)) {
		patchexits_give_up(search, kind == PATCH_EXIT_OWN_ENTRY ? PLAN_BRANCH_INTO_ENTRY
									: PLAN_NO_EXIT_SPACE);
		return;
	}
	exit.kind = (uint8_t)kind;
	exit.keeps_flags = kind == PATCH_EXIT_RETURN && keeps_flags(search, event->address);
	if (exit.displaced && exit.at + exit.displaced > search->floor)
		search->floor = exit.at + exit.displaced;
	if ((slot = new_exit(search)))
		*slot = exit;
}

/* A target in another file is not recorded, as far as is known here: its time is best attributed to
 * the function that jumps to it.  One in this file has its own time. */
static void end_in(struct search *search, const struct patch_function *to, uint64_t target)
{
	const struct patch_module *module = search->decision->module;

	search->function->flags |= PLAN_FUNCTION_TAIL_CALLS;
	if (!to)
		return;
	if (patchdecision_reason(to) != PLAN_STUB ||
	    !patchimports_is_foreign(module, patchimports_stub_word_x86_64(module, target)))
		search->function->ends_in_function = true;
}

static void end_through(struct search *search, const struct patch_event *event)
{
	search->function->flags |= PLAN_FUNCTION_TAIL_CALLS;
	if (!patchimports_is_foreign(search->decision->module, event->target))
		search->function->ends_in_function = true;
}

static void patchexits_see_branch(struct search *search, const struct patch_event *event)
{
	const struct patch_decision *decision = search->decision;
	const struct patch_module *module = decision->module;
	const struct patch_function *to = patchmodule_function_at(module, event->target);
	bool is_conditional = event->kind == PATCH_EVENT_CONDITIONAL;
	struct patch_entry *entry = &search->function->entry;

	if (event->target == entry->at || event->target == search->function->address) {
		if (event->kind == PATCH_EVENT_SHORT)
			patchexits_give_up(search, PLAN_BRANCH_INTO_ENTRY);
		else
			patchexits_add_exit(search, event, PATCH_EXIT_OWN_ENTRY, is_conditional);
		return;
	}
	if (to && patchfragments_owner(decision, event->target) == search->index)
		return; /* to and from its own parts */
	if (event->kind == PATCH_EVENT_SHORT ||
	    (to && to->address != event->target && patchdecision_reason(to) != PLAN_STUB) ||
	    (to && patchdecision_reason(to) == PLAN_PART) ||
	    !patchbytes_is_popped(module, event->address)) {
		patchexits_give_up(search, PLAN_UNKNOWN_JUMPS);
		return;
	}
	end_in(search, to, event->target);
	patchexits_add_exit(search, event,
			    is_conditional ? PATCH_EXIT_CONDITIONAL : PATCH_EXIT_JUMP,
			    is_conditional);
}

static void see_own_entry(struct search *search, const struct patch_event *event)
{
	struct patch_code code;

	if (!patchbytes_code(search->decision->module, event->address, &code) ||
	    code.kind == PATCH_CODE_LOOP)
		patchexits_give_up(search, PLAN_BRANCH_INTO_ENTRY);
	else
		patchexits_add_exit(search, event, PATCH_EXIT_OWN_ENTRY,
				    code.kind == PATCH_CODE_CONDITIONAL);
}

static void patchexits_see_through(struct search *search, uint32_t index,
				   const struct patch_event *event)
{
	struct patch_event jump = *event;

	switch (patchindirect_target(search->decision, index, event)) {
	case PATCH_TARGET_INSIDE:
		return;
	case PATCH_TARGET_OUTSIDE:
		jump.target = 0;
		end_through(search, event);
		patchexits_add_exit(search, &jump, PATCH_EXIT_JUMP, false);
		return;
	default:
		patchexits_give_up(search, PLAN_UNKNOWN_JUMPS);
	}
}

static void patchexits_see_range(struct search *search, uint32_t index)
{
	const struct patch_sweep *sweep = search->decision->module->sweep;
	const struct patch_function *range = &search->decision->module->functions[index];

	patchexits_give_up(search, patchsweep_doubt(sweep->notes[index]));
	search->start = search->floor = range->address;
	if (index == search->index) {
		const struct patch_entry *entry = &search->function->entry;
		unsigned taken =
			entry->way == PATCH_ENTRY_CAVE ? PATCH_SHORT_BYTES : PATCH_JUMP_BYTES;

		search->floor = entry->at + (entry->displaced > taken ? entry->displaced : taken);
	}
	for (size_t i = sweep->first_events[index]; i < sweep->first_events[index + 1]; i++) {
		const struct patch_event *event = &sweep->events[i];

		if (event->kind == PATCH_EVENT_RETURN)
			patchexits_add_exit(search, event, PATCH_EXIT_RETURN, false);
		else if (event->kind == PATCH_EVENT_OWN_ENTRY && index == search->index)
			see_own_entry(search, event);
		else if (event->kind == PATCH_EVENT_JUMP_INDIRECT)
			patchexits_see_through(search, index, event);
		else if (event->kind <= PATCH_EVENT_SHORT)
			patchexits_see_branch(search, event);
	}
}

/* Only loops back to the entry remain. */
static void patchexits_keep_loops(struct search *search)
{
	struct patch_decision *decision = search->decision;
	size_t count = search->first;

	for (size_t i = search->first; i < decision->exit_count; i++)
		if (decision->exits[i].kind == PATCH_EXIT_OWN_ENTRY)
			decision->exits[count++] = decision->exits[i];
	decision->exit_count = count;
}

enum plan_reason patchexits_find(struct patch_decision *decision, struct patch_function *function)
{
	struct patch_module *module = decision->module;
	uint32_t index = patchdecision_index(module, function);
	struct search search = {.decision = decision,
				.function = function,
				.index = index,
				.first = decision->exit_count,
				.reason = PLAN_FINE};

	patchexits_see_range(&search, index);
	for (uint32_t part = decision->first_fragments[index]; part != PATCH_NO_FUNCTION;
	     part = decision->next_fragments[part])
		patchexits_see_range(&search, part);
	if (search.reason != PLAN_FINE)
		patchexits_keep_loops(&search);
	function->first_exit = (uint32_t)search.first;
	function->exit_count = (uint32_t)(decision->exit_count - search.first);
	return search.reason;
}
