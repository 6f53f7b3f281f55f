/* Reducing a state of call frame instructions to a row on x86-64 (psABI, figure 3.36). */
#include "object/unwind/cfi_program.h"

/* DWARF register numbers. */
enum { RBP = 6, RSP = 7, GENERAL = 16 };

/* DWARF operations. */
enum {
	OP_DEREF = 0x06,
	OP_CONST1U = 0x08,
	OP_AND = 0x1a,
	OP_MINUS = 0x1c,
	OP_PLUS = 0x22,
	OP_PLUS_UCONST = 0x23,
	OP_SHL = 0x24,
	OP_XOR = 0x27,
	OP_GE = 0x2a,
	OP_LIT0 = 0x30,
	OP_BREG0 = 0x70,
	OP_BREG_RBP = OP_BREG0 + RBP,
	OP_BREG_RSP = OP_BREG0 + RSP,
	OP_BREG_RIP = OP_BREG0 + 16,
};

enum cfi_register cfi_register_of(uint64_t number)
{
	switch (number) {
	case RBP:
		return CFI_FRAME;
	case RSP:
		return CFI_STACK;
	default:
		return CFI_REGISTERS;
	}
}

/* register + offset, and nothing else; false: another expression. */
static bool cfi_is_sum(struct cfi_bytes bytes, uint8_t *operation, int64_t *offset)
{
	*operation = cfi_u8(&bytes);
	*offset = cfi_sleb(&bytes);
	return !bytes.is_bad && cfi_left(&bytes) == 0;
}

/* The word at rbp + offset: gcc's, of functions that realign the stack.  8 + the word at rsp +
 * offset: assembly that saves its caller's stack pointer below an aligned frame. */
static bool take_deref(struct cfi_bytes bytes, struct cfi_row *row)
{
	uint8_t operation = cfi_u8(&bytes);
	int64_t offset = cfi_sleb(&bytes);
	bool is_deref = cfi_u8(&bytes) == OP_DEREF;
	uint64_t addend = 0;

	if (cfi_left(&bytes) > 0) {
		is_deref &= cfi_u8(&bytes) == OP_PLUS_UCONST;
		addend = cfi_uleb(&bytes);
	}
	if (!is_deref || bytes.is_bad || cfi_left(&bytes) > 0 || offset != (int32_t)offset)
		return false;
	row->cfa_offset = (int32_t)offset;
	if (operation == OP_BREG_RBP && addend == 0)
		row->cfa = CFI_CFA_FRAME_DEREF;
	else if (operation == OP_BREG_RSP && addend == 8)
		row->cfa = CFI_CFA_STACK_DEREF;
	else
		return false;
	return true;
}

/* rsp + 8 + ((rip & 15) >= N) * 8: the linker's, of lazy binding stubs. */
static bool take_plt(struct cfi_bytes bytes, struct cfi_row *row)
{
	static const uint8_t head[] = {OP_BREG_RSP, 8, OP_BREG_RIP, 0, OP_LIT0 + 15, OP_AND};
	static const uint8_t tail[] = {OP_GE, OP_LIT0 + 3, OP_SHL, OP_PLUS};
	uint8_t limit;

	if (cfi_left(&bytes) != sizeof(head) + 1 + sizeof(tail) ||
	    memcmp(bytes.at, head, sizeof(head)) != 0 ||
	    memcmp(bytes.at + sizeof(head) + 1, tail, sizeof(tail)) != 0)
		return false;
	limit = bytes.at[sizeof(head)];
	if (limit < OP_LIT0 || limit > OP_LIT0 + 15)
		return false;
	row->cfa = CFI_CFA_PLT;
	row->cfa_offset = limit - OP_LIT0;
	return true;
}

static bool take_sum(uint64_t number, int64_t offset, struct cfi_row *row)
{
	if (offset != (int32_t)offset)
		return false;
	row->cfa_offset = (int32_t)offset;
	if (number >= GENERAL)
		return false;
	row->cfa = number == RSP   ? CFI_CFA_STACK
		   : number == RBP ? CFI_CFA_FRAME
				   : CFI_CFA_REGISTER + (uint8_t)number;
	return true;
}

static bool reduce_cfa(const struct cfi_state *state, struct cfi_row *row)
{
	uint8_t operation;
	int64_t offset;

	if (!state->has_expression)
		return take_sum(state->cfa_register, state->cfa_offset, row);
	if (cfi_is_sum(state->cfa_expression, &operation, &offset))
		return operation >= OP_BREG0 &&
		       take_sum(operation - (uint64_t)OP_BREG0, offset, row);
	return take_deref(state->cfa_expression, row) || take_plt(state->cfa_expression, row);
}

/* The saved frame pointer is at register + offset; encoded as in a row. */
static bool take_saved(uint8_t operation, int64_t offset, const struct cfi_row *row,
		       int64_t *offset_out)
{
	if ((operation == OP_BREG_RBP && row->cfa == CFI_CFA_FRAME) ||
	    (operation == OP_BREG_RSP && row->cfa == CFI_CFA_STACK))
		*offset_out = (int64_t)((uint64_t)offset - (uint64_t)(int64_t)row->cfa_offset);
	else if (operation == OP_BREG_RBP)
		*offset_out = (int64_t)((uint64_t)offset + 1); /* realigned stacks */
	else
		return false;
	return offset % 2 == 0;
}

static bool reduce_frame(const struct cfi_rule *rule, struct cfi_row *row)
{
	int64_t offset = rule->value, there;
	uint8_t operation;

	switch (rule->kind) {
	case CFI_RULE_UNSPECIFIED:
	case CFI_RULE_SAME_VALUE:
	case CFI_RULE_UNDEFINED: /* in the outermost frame it is not needed any more */
		row->frame_offset = CFI_FRAME_KEPT;
		return true;
	case CFI_RULE_OFFSET:
		if (offset % 2 != 0)
			return false;
		break;
	case CFI_RULE_EXPRESSION:
		if (!cfi_is_sum(rule->expression, &operation, &there) ||
		    !take_saved(operation, there, row, &offset))
			return false;
		break;
	default:
		return false;
	}
	row->frame_offset = (int16_t)offset;
	return offset == (int16_t)offset && offset != CFI_FRAME_KEPT;
}

static bool reduce_return(const struct cfi_rule *rule, struct cfi_row *row)
{
	if (rule->kind == CFI_RULE_REGISTER && rule->value >= 0 && rule->value < GENERAL) {
		row->return_offset = (int8_t)(INT8_MIN + rule->value);
		return true;
	}
	row->return_offset = (int8_t)rule->value;
	return rule->kind == CFI_RULE_OFFSET && rule->value == (int8_t)rule->value &&
	       rule->value >= CFI_RETURN_MIN;
}

/* An address with one bit flipped, offset from the stack pointer; false: another expression.  In
 * the form of plans, or without XOR, as a + b - 2 (a AND b). */
static bool take_flipped(struct cfi_bytes bytes, int64_t *offset)
{
	static const uint8_t turned[] = {OP_LIT0 + 1, OP_CONST1U, 46, OP_SHL, OP_XOR};
	static const uint8_t sum[] = {OP_LIT0 + 1, OP_CONST1U, 46, OP_SHL, OP_PLUS, OP_BREG_RSP};
	static const uint8_t less[] = {OP_LIT0 + 1, OP_CONST1U,	 46,	 OP_SHL,
				       OP_AND,	    OP_LIT0 + 1, OP_SHL, OP_MINUS};

	if (cfi_u8(&bytes) != OP_BREG_RSP)
		return false;
	*offset = cfi_sleb(&bytes);
	if (bytes.is_bad)
		return false;
	if (cfi_left(&bytes) == sizeof(turned) && memcmp(bytes.at, turned, sizeof(turned)) == 0)
		return true;
	if (cfi_left(&bytes) < sizeof(sum) || memcmp(bytes.at, sum, sizeof(sum)) != 0)
		return false;
	bytes.at += sizeof(sum);
	return cfi_sleb(&bytes) == *offset && !bytes.is_bad && cfi_left(&bytes) == sizeof(less) &&
	       memcmp(bytes.at, less, sizeof(less)) == 0;
}

/* The return address is in its shadow slot, after a call through a trampoline: the CFA is the later
 * stack pointer plus 1, or plus a word, to distinguish the frame from its callee's. */
static bool take_shadow(const struct cfi_state *state, struct cfi_row *row)
{
	const struct cfi_rule *back = &state->rules[CFI_RETURN];
	const struct cfi_rule *stack = &state->rules[CFI_STACK];
	int64_t offset;

	if (state->has_expression || state->cfa_register != RSP ||
	    stack->kind != CFI_RULE_VAL_OFFSET || (stack->value != -1 && stack->value != -8) ||
	    back->kind != CFI_RULE_EXPRESSION ||
	    (state->rules[CFI_FRAME].kind != CFI_RULE_UNSPECIFIED &&
	     state->rules[CFI_FRAME].kind != CFI_RULE_SAME_VALUE))
		return false;
	if (!take_flipped(back->expression, &offset) ||
	    offset != state->cfa_offset + stack->value - 8 || offset != (int32_t)offset)
		return false;
	row->cfa = CFI_CFA_SHADOW;
	row->cfa_offset = (int32_t)offset + 8;
	row->frame_offset = CFI_FRAME_KEPT;
	row->return_offset = -8;
	return true;
}

void cfi_reduce(const struct cfi_state *state, struct cfi_row *row_out)
{
	static const struct cfi_row none;
	struct cfi_row row = none;

	*row_out = none;
	if (state->rules[CFI_RETURN].kind == CFI_RULE_UNDEFINED) {
		row_out->cfa = CFI_CFA_OUTERMOST;
		return;
	}
	if (take_shadow(state, &row)) {
		*row_out = row;
		return;
	}
	if (state->rules[CFI_STACK].kind != CFI_RULE_UNSPECIFIED &&
	    state->rules[CFI_STACK].kind != CFI_RULE_SAME_VALUE &&
	    !(state->rules[CFI_STACK].kind == CFI_RULE_VAL_OFFSET &&
	      state->rules[CFI_STACK].value == 0))
		return;
	if (reduce_cfa(state, &row) && reduce_frame(&state->rules[CFI_FRAME], &row) &&
	    reduce_return(&state->rules[CFI_RETURN], &row))
		*row_out = row;
}
