/* Functions that look at their return address, or move it: setjmp, unwinders, what switches
 * stacks.  Call-through keeps another one there, so that these must be left out. */
#include "patch/patchdecide.h"

#define DEPTH_MAX 24u

struct look {
	const struct patch_module *module;
	const struct patch_function *function;
	uint64_t behind; /* what the rows described so far */
	bool is_found;
};

/* Register and offset by which the return address can be reached; false: none known. */
static bool slot_of(const struct cfi_row *row, unsigned *base, int64_t *offset)
{
	*offset = (int64_t)row->cfa_offset - 8;
	if (row->return_offset != -8)
		return false;
	if (row->cfa == CFI_CFA_STACK)
		*base = PATCH_RSP;
	else if (row->cfa == CFI_CFA_FRAME)
		*base = PATCH_RBP;
	else if (row->cfa >= CFI_CFA_REGISTER && row->cfa < CFI_CFA_REGISTER + 16) {
		static const uint8_t numbers[16] = {PATCH_RAX, PATCH_RDX, PATCH_RCX, PATCH_RBX,
						    PATCH_RSI, PATCH_RDI, PATCH_RBP, PATCH_RSP,
						    8,	       9,	  10,	     11,
						    12,	       13,	  14,	     15};
		*base = numbers[row->cfa - CFI_CFA_REGISTER];
	} else {
		return false;
	}
	return true;
}

/* Functions that realign the stack copy their return address, for debuggers alone. */
static bool is_copy(const struct patch_code *code, const struct cfi_row *row)
{
	return row->cfa >= CFI_CFA_REGISTER && code->map == 1 && code->opcode == 0xff &&
	       code->modrm_reg == 6;
}

static bool touches_memory(const struct patch_code *code, const struct cfi_row *row)
{
	int64_t slot = 0, distance;
	unsigned base = PATCH_NO_REGISTER;

	if (!code->is_memory || patchcode_is_nop(code))
		return false;
	if (row->cfa == CFI_CFA_FRAME_DEREF) /* realigned: reached by nothing but that word */
		return false;
	if (!slot_of(row, &base, &slot))
		return true;
	distance = code->displacement - slot;
	return code->base == base && code->index == PATCH_NO_REGISTER && distance > -8 &&
	       distance < 8 && !is_copy(code, row);
}

static bool touches(const struct patch_code *code, const struct cfi_row *row)
{
	bool is_on_top = row->cfa == CFI_CFA_STACK && row->cfa_offset == 8;

	if (touches_memory(code, row))
		return true;
	if (code->kind == PATCH_CODE_RETURN)
		return !is_on_top || code->opcode == 0xc2;
	if (code->map != 1 || code->is_vector)
		return false;
	if (((code->opcode & 0xf8) == 0x58 || code->opcode == 0x8f) && is_on_top)
		return true;
	if (code->opcode == 0x89 && !code->is_memory && code->rm == PATCH_RSP) /* another stack */
		return row->cfa == CFI_CFA_STACK;
	return code->opcode == 0x8b && code->reg == PATCH_RSP && row->cfa == CFI_CFA_STACK;
}

static void look_at_row(void *context, uint64_t start, uint64_t end, const struct cfi_row *row)
{
	struct look *look = context;
	uint64_t first = look->function->address, last = first + look->function->size;
	struct patch_code code;

	if (end <= first || start >= last || look->is_found)
		return;
	if (start < first)
		start = first;
	look->is_found |= start != look->behind;
	look->behind = end < last ? end : last;
	for (uint64_t at = start; at < look->behind && !look->is_found; at += code.length) {
		if (!patchdecide_code(look->module, at, &code)) {
			look->is_found = true;
			return;
		}
		look->is_found |= touches(&code, row);
	}
}

/* By its own instructions. */
static bool looks_itself(const struct patch_module *module, const struct patch_function *function)
{
	struct look look = {module, function, function->address, false};
	const struct cfi_part *part = patchsweep_part(module, function->address);

	return !part || !cfi_each_row(&module->frames, part, look_at_row, &look) || look.is_found ||
	       look.behind < function->address + function->size;
}

static bool looks(struct patch_decision *decision, uint32_t index, unsigned depth);

static bool target_looks(struct patch_decision *decision, const struct patch_event *event,
			 unsigned depth)
{
	const struct patch_module *module = decision->module;
	const struct patch_function *to;

	if (event->kind == PATCH_EVENT_THROUGH)
		return event->target != 0 &&
		       patchdecide_is_special(patchimports_word(module, event->target));
	if (event->kind > PATCH_EVENT_SHORT || event->kind == PATCH_EVENT_RETURN)
		return false;
	to = patchmodule_function_at(module, event->target);
	if (!to || to->reason == PLAN_STUB)
		return patchdecide_is_special(patchimports_stub(module, event->target));
	return looks(decision, patchdecide_index(module, to), depth + 1);
}

static bool looks_by_jumps(struct patch_decision *decision, uint32_t index, unsigned depth)
{
	const struct patch_sweep *sweep = decision->module->sweep;

	for (size_t i = sweep->first_events[index]; i < sweep->first_events[index + 1]; i++)
		if (target_looks(decision, &sweep->events[i], depth))
			return true;
	for (uint32_t part = decision->first_parts[index]; part != PATCH_NO_FUNCTION;
	     part = decision->next_parts[part])
		if (looks(decision, part, depth + 1))
			return true;
	return false;
}

static bool looks(struct patch_decision *decision, uint32_t index, unsigned depth)
{
	const struct patch_module *module = decision->module;
	const struct patch_function *function = &module->functions[index];
	bool is_found;

	if (decision->looks[index] == PATCH_LOOKS_ASKED)
		return false; /* a circle: the others tell */
	if (decision->looks[index] != PATCH_LOOKS_UNKNOWN)
		return decision->looks[index] == PATCH_LOOKS;
	if (depth > DEPTH_MAX)
		return true;
	decision->looks[index] = PATCH_LOOKS_ASKED;
	is_found = !(module->sweep->notes[index] & PATCH_SWEPT_ALL) ||
		   patchdecide_is_special(function->name) || looks_itself(module, function) ||
		   looks_by_jumps(decision, index, depth);
	decision->looks[index] = is_found ? PATCH_LOOKS : PATCH_LOOKS_AWAY;
	return is_found;
}

bool patchdecide_looks_away(struct patch_decision *decision, uint32_t function)
{
	return !looks(decision, function, 0);
}
