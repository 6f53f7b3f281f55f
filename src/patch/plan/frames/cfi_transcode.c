/* Unwind rules of all registers, by executing a frame description. */
#include "patch/plan/frames/cfi_transcode.h"

#include <string.h>

#include "object/unwind/cfi_decode.h"

void cfi_transcode_start(struct cfi_transcode_state *state)
{
	memset(state, 0, sizeof(*state));
	state->cfa_register = CFI_TRANSCODE_RSP;
	state->cfa_offset = 8;
	state->rules[CFI_TRANSCODE_RETURN] =
		(struct cfi_transcode_rule){.kind = CFI_RULE_OFFSET, .value = -8};
}

void cfi_transcode_init(struct cfi_transcode *rows, const struct cfi_section *section)
{
	memset(rows, 0, sizeof(*rows));
	rows->section = section;
}

static void set_rule(struct cfi_transcode *rows, uint64_t number, const struct cfi_rule *from)
{
	struct cfi_transcode_rule rule = {.kind = (uint8_t)from->kind, .value = from->value};

	if (number >= CFI_TRANSCODE_REGISTERS)
		return;
	if (from->kind == CFI_RULE_EXPRESSION || from->kind == CFI_RULE_VAL_EXPRESSION) {
		rule.size = (uint32_t)cfi_left(&from->expression);
		rule.expression = from->expression.at;
	}
	rows->state.rules[number] = rule;
}

static void transcode_restore_rule(struct cfi_transcode *rows, uint64_t number)
{
	if (number < CFI_TRANSCODE_REGISTERS)
		rows->state.rules[number] = rows->initial.rules[number];
}

static void transcode_define_cfa(struct cfi_transcode *rows, uint64_t number, int64_t offset)
{
	rows->is_bad |= number >= CFI_TRANSCODE_REGISTERS;
	rows->state.is_expression = false;
	rows->state.cfa_size = 0;
	rows->state.cfa_register = (uint8_t)number;
	rows->state.cfa_offset = offset;
}

static void define_cfa_expression(struct cfi_transcode *rows, const struct cfi_bytes *expression)
{
	rows->state.is_expression = true;
	rows->state.cfa_size = (uint32_t)cfi_left(expression);
	rows->state.cfa_expression = expression->at;
}

static void transcode_remember(struct cfi_transcode *rows)
{
	if (rows->depth == CFI_TRANSCODE_DEPTH_MAX)
		rows->is_bad = true;
	else
		rows->remembered[rows->depth++] = rows->state;
}

static void transcode_recall(struct cfi_transcode *rows)
{
	if (rows->depth == 0)
		rows->is_bad = true;
	else
		rows->state = rows->remembered[--rows->depth];
}

static void transcode_execute(struct cfi_transcode *rows, const struct cfi_step *step)
{
	const struct cfi_transcode_state *state = &rows->state;

	switch (step->kind) {
	case CFI_STEP_NOTHING:
		break;
	case CFI_STEP_ADVANCE:
		rows->location = step->location;
		break;
	case CFI_STEP_CFA:
		transcode_define_cfa(rows, step->number, step->offset);
		break;
	case CFI_STEP_CFA_REGISTER:
		transcode_define_cfa(rows, step->number,
				     state->is_expression ? 0 : state->cfa_offset);
		break;
	case CFI_STEP_CFA_OFFSET:
		transcode_define_cfa(rows, state->cfa_register, step->offset);
		break;
	case CFI_STEP_CFA_EXPRESSION:
		define_cfa_expression(rows, &step->rule.expression);
		break;
	case CFI_STEP_RULE:
		set_rule(rows, step->number, &step->rule);
		break;
	case CFI_STEP_RESTORE:
		transcode_restore_rule(rows, step->number);
		break;
	case CFI_STEP_REMEMBER:
		transcode_remember(rows);
		break;
	case CFI_STEP_RECALL:
		transcode_recall(rows);
		break;
	case CFI_STEP_SIGN: /* x86-64 has no such state */
		rows->is_bad = true;
	}
}

/* Execute up to an address.  True: something has changed. */
static bool run_to(struct cfi_transcode *rows, uint64_t address)
{
	const uint8_t *from = rows->bytes.at;
	struct cfi_step step;

	while (cfi_left(&rows->bytes) > 0 && rows->location <= address && !rows->is_bad) {
		if (cfi_decode(rows->section, &rows->entry, rows->location, &rows->bytes, &step))
			transcode_execute(rows, &step);
		else
			rows->is_bad = true;
	}
	rows->asked = address;
	return rows->bytes.at != from;
}

/* Restart at the entry's beginning. */
static void transcode_begin(struct cfi_transcode *rows)
{
	rows->is_bad = rows->entry.is_signal || rows->entry.return_register != CFI_TRANSCODE_RETURN;
	rows->depth = 0;
	rows->location = 0;
	memset(&rows->state, 0, sizeof(rows->state));
	memset(&rows->initial, 0, sizeof(rows->initial));
	rows->bytes = rows->entry.initial;
	run_to(rows, 0);
	rows->initial = rows->state;
	rows->bytes = rows->entry.program;
	rows->location = rows->entry.start;
	rows->asked = rows->entry.start;
}

const struct cfi_transcode_state *cfi_transcode_at(struct cfi_transcode *rows, uint64_t address,
						   bool *is_same_out)
{
	bool is_covered =
		rows->has_entry && address >= rows->entry.start && address < rows->entry.end;
	bool is_new = !is_covered || address < rows->asked;

	if (!is_covered) {
		rows->has_entry = cfi_find_entry(rows->section, address, &rows->entry);
		if (!rows->has_entry)
			return NULL;
	}
	if (is_new)
		transcode_begin(rows);
	*is_same_out = !run_to(rows, address) && !is_new;
	return rows->is_bad ? NULL : &rows->state;
}
