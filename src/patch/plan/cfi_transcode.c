/* Unwind rules of all registers, followed and said again (DWARF 4, section 6.4.2). */
#include "patch/plan/cfi_transcode.h"

#include <string.h>

#include "base/array.h"
#include "object/unwind/cfi_opcodes.h"

/* ---- following ----------------------------------------------------------------------------- */

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

static void set_rule(struct cfi_transcode *rows, uint64_t number, enum cfi_rule_kind kind,
		     int64_t value)
{
	if (number < CFI_TRANSCODE_REGISTERS)
		rows->state.rules[number] =
			(struct cfi_transcode_rule){.kind = (uint8_t)kind, .value = value};
}

static void restore_rule(struct cfi_transcode *rows, uint64_t number)
{
	if (number < CFI_TRANSCODE_REGISTERS)
		rows->state.rules[number] = rows->initial.rules[number];
}

static const uint8_t *take_block(struct cfi_bytes *bytes, uint32_t *size_out)
{
	uint64_t size = cfi_uleb(bytes);
	const uint8_t *at = bytes->at;

	cfi_skip(bytes, size);
	*size_out = bytes->is_bad ? 0 : (uint32_t)size;
	return at;
}

static void set_expression(struct cfi_transcode *rows, struct cfi_bytes *bytes,
			   enum cfi_rule_kind kind)
{
	uint64_t number = cfi_uleb(bytes);
	struct cfi_transcode_rule rule = {.kind = (uint8_t)kind};

	rule.expression = take_block(bytes, &rule.size);
	if (number < CFI_TRANSCODE_REGISTERS)
		rows->state.rules[number] = rule;
}

static int64_t scaled(const struct cfi_transcode *rows, uint64_t factored)
{
	return (int64_t)(factored * (uint64_t)rows->entry.data_alignment);
}

static void define_cfa(struct cfi_transcode *rows, uint64_t number, int64_t offset)
{
	rows->is_bad |= number >= CFI_TRANSCODE_REGISTERS;
	rows->state.is_expression = false;
	rows->state.cfa_size = 0;
	rows->state.cfa_register = (uint8_t)number;
	rows->state.cfa_offset = offset;
}

static void change_cfa(struct cfi_transcode *rows, uint8_t code, struct cfi_bytes *bytes)
{
	struct cfi_transcode_state *state = &rows->state;
	uint64_t number = state->cfa_register;

	if (code == DW_CFA_def_cfa_expression) {
		state->is_expression = true;
		state->cfa_expression = take_block(bytes, &state->cfa_size);
		return;
	}
	if (code == DW_CFA_def_cfa || code == DW_CFA_def_cfa_sf || code == DW_CFA_def_cfa_register)
		number = cfi_uleb(bytes);
	if (code == DW_CFA_def_cfa_register)
		define_cfa(rows, number, state->is_expression ? 0 : state->cfa_offset);
	else if (code == DW_CFA_def_cfa || code == DW_CFA_def_cfa_offset)
		define_cfa(rows, number, (int64_t)cfi_uleb(bytes));
	else
		define_cfa(rows, number, scaled(rows, (uint64_t)cfi_sleb(bytes)));
}

static void change_rule(struct cfi_transcode *rows, uint8_t code, struct cfi_bytes *bytes)
{
	uint64_t number = cfi_uleb(bytes);

	switch (code) {
	case DW_CFA_offset_extended:
		set_rule(rows, number, CFI_RULE_OFFSET, scaled(rows, cfi_uleb(bytes)));
		break;
	case DW_CFA_offset_extended_sf:
		set_rule(rows, number, CFI_RULE_OFFSET, scaled(rows, (uint64_t)cfi_sleb(bytes)));
		break;
	case DW_CFA_val_offset:
		set_rule(rows, number, CFI_RULE_VAL_OFFSET, scaled(rows, cfi_uleb(bytes)));
		break;
	case DW_CFA_val_offset_sf:
		set_rule(rows, number, CFI_RULE_VAL_OFFSET,
			 scaled(rows, (uint64_t)cfi_sleb(bytes)));
		break;
	case DW_CFA_restore_extended:
		restore_rule(rows, number);
		break;
	case DW_CFA_undefined:
		set_rule(rows, number, CFI_RULE_UNDEFINED, 0);
		break;
	case DW_CFA_same_value:
		set_rule(rows, number, CFI_RULE_SAME_VALUE, 0);
		break;
	default: /* DW_CFA_register */
		set_rule(rows, number, CFI_RULE_REGISTER, (int64_t)cfi_uleb(bytes));
	}
}

static void execute(struct cfi_transcode *rows, uint8_t code, struct cfi_bytes *bytes)
{
	switch (code) {
	case DW_CFA_nop:
		break;
	case DW_CFA_remember_state:
		if (rows->depth == CFI_TRANSCODE_DEPTH_MAX)
			rows->is_bad = true;
		else
			rows->remembered[rows->depth++] = rows->state;
		break;
	case DW_CFA_restore_state:
		if (rows->depth == 0)
			rows->is_bad = true;
		else
			rows->state = rows->remembered[--rows->depth];
		break;
	case DW_CFA_def_cfa ... DW_CFA_def_cfa_expression:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_offset_sf:
		change_cfa(rows, code, bytes);
		break;
	case DW_CFA_offset_extended ... DW_CFA_register:
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
		change_rule(rows, code, bytes);
		break;
	case DW_CFA_expression:
		set_expression(rows, bytes, CFI_RULE_EXPRESSION);
		break;
	case DW_CFA_val_expression:
		set_expression(rows, bytes, CFI_RULE_VAL_EXPRESSION);
		break;
	case DW_CFA_GNU_args_size:
		cfi_uleb(bytes);
		break;
	default:
		if ((code & 0xc0) == DW_CFA_offset)
			set_rule(rows, code & 0x3f, CFI_RULE_OFFSET, scaled(rows, cfi_uleb(bytes)));
		else if ((code & 0xc0) == DW_CFA_restore)
			restore_rule(rows, code & 0x3f);
		else
			rows->is_bad = true;
	}
}

static bool take_advance(struct cfi_transcode *rows, uint8_t code, struct cfi_bytes *bytes)
{
	uint64_t units;

	if ((code & 0xc0) == DW_CFA_advance_loc)
		units = code & 0x3f;
	else if (code == DW_CFA_advance_loc1)
		units = cfi_u8(bytes);
	else if (code == DW_CFA_advance_loc2)
		units = cfi_u16(bytes);
	else if (code == DW_CFA_advance_loc4)
		units = cfi_u32(bytes);
	else
		return false;
	rows->location += units * rows->entry.code_alignment;
	return true;
}

/* All that is true at an address.  True: something has changed. */
static bool run_to(struct cfi_transcode *rows, uint64_t address)
{
	const uint8_t *from = rows->bytes.at;

	while (cfi_left(&rows->bytes) > 0 && rows->location <= address && !rows->is_bad) {
		uint8_t code = cfi_u8(&rows->bytes);

		if (!take_advance(rows, code, &rows->bytes))
			execute(rows, code, &rows->bytes);
		rows->is_bad |= rows->bytes.is_bad;
	}
	rows->asked = address;
	return rows->bytes.at != from;
}

/* From the entry's start again. */
static void begin(struct cfi_transcode *rows)
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
		begin(rows);
	*is_same_out = !run_to(rows, address) && !is_new;
	return rows->is_bad ? NULL : &rows->state;
}

/* ---- saying -------------------------------------------------------------------------------- */

bool cfi_emit_bytes(struct plan_stretch *stretch, const void *bytes, size_t size)
{
	if (stretch->size + size > stretch->capacity) {
		uint8_t *grown =
			array_grow(stretch->bytes, &stretch->capacity, stretch->size + size, 1);

		if (!grown)
			return false;
		stretch->bytes = grown;
	}
	if (size > 0)
		memcpy(stretch->bytes + stretch->size, bytes, size);
	stretch->size += size;
	return true;
}

bool cfi_emit_byte(struct plan_stretch *stretch, uint8_t byte)
{
	return cfi_emit_bytes(stretch, &byte, 1);
}

static bool say_uleb(struct plan_stretch *stretch, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		if (!cfi_emit_byte(stretch, (uint8_t)(value | 0x80)))
			return false;
	return cfi_emit_byte(stretch, (uint8_t)value);
}

static bool say_sleb(struct plan_stretch *stretch, int64_t value)
{
	while (value < -64 || value > 63) {
		if (!cfi_emit_byte(stretch, (uint8_t)(value | 0x80)))
			return false;
		value >>= 7;
	}
	return cfi_emit_byte(stretch, (uint8_t)(value & 0x7f));
}

static bool say_block(struct plan_stretch *stretch, const uint8_t *bytes, uint32_t size)
{
	return say_uleb(stretch, size) && cfi_emit_bytes(stretch, bytes, size);
}

static bool is_same_cfa(const struct cfi_transcode_state *a, const struct cfi_transcode_state *b)
{
	if (a->is_expression != b->is_expression)
		return false;
	if (a->is_expression)
		return a->cfa_size == b->cfa_size &&
		       memcmp(a->cfa_expression, b->cfa_expression, a->cfa_size) == 0;
	return a->cfa_register == b->cfa_register && a->cfa_offset == b->cfa_offset;
}

static bool say_cfa(struct plan_stretch *stretch, const struct cfi_transcode_state *from,
		    const struct cfi_transcode_state *to)
{
	if (is_same_cfa(from, to))
		return true;
	if (to->is_expression)
		return cfi_emit_byte(stretch, DW_CFA_def_cfa_expression) &&
		       say_block(stretch, to->cfa_expression, to->cfa_size);
	if (to->cfa_offset < 0)
		return cfi_emit_byte(stretch, DW_CFA_def_cfa_sf) &&
		       say_uleb(stretch, to->cfa_register) && say_sleb(stretch, -to->cfa_offset);
	if (!from->is_expression && from->cfa_register == to->cfa_register)
		return cfi_emit_byte(stretch, DW_CFA_def_cfa_offset) &&
		       say_uleb(stretch, (uint64_t)to->cfa_offset);
	return cfi_emit_byte(stretch, DW_CFA_def_cfa) && say_uleb(stretch, to->cfa_register) &&
	       say_uleb(stretch, (uint64_t)to->cfa_offset);
}

static bool is_same_rule(const struct cfi_transcode_rule *a, const struct cfi_transcode_rule *b)
{
	if (a->kind != b->kind || a->size != b->size)
		return false;
	if (a->kind == CFI_RULE_EXPRESSION || a->kind == CFI_RULE_VAL_EXPRESSION)
		return memcmp(a->expression, b->expression, a->size) == 0;
	return a->value == b->value;
}

/* A number from the CFA: factored by CFI_TRANSCODE_DATA_ALIGNMENT. */
static bool say_offset(struct plan_stretch *stretch, uint8_t number, int64_t value, bool is_value)
{
	if (value > 0)
		return cfi_emit_byte(stretch,
				     is_value ? DW_CFA_val_offset_sf : DW_CFA_offset_extended_sf) &&
		       cfi_emit_byte(stretch, number) && say_sleb(stretch, -value);
	if (is_value)
		return cfi_emit_byte(stretch, DW_CFA_val_offset) &&
		       cfi_emit_byte(stretch, number) && say_uleb(stretch, (uint64_t)-value);
	return cfi_emit_byte(stretch, DW_CFA_offset | number) &&
	       say_uleb(stretch, (uint64_t)-value);
}

static bool say_rule(struct plan_stretch *stretch, uint8_t number,
		     const struct cfi_transcode_rule *rule)
{
	switch ((enum cfi_rule_kind)rule->kind) {
	case CFI_RULE_UNSPECIFIED: /* nor does the common entry say anything */
		return cfi_emit_byte(stretch, DW_CFA_restore | number);
	case CFI_RULE_SAME_VALUE:
		return cfi_emit_byte(stretch, DW_CFA_same_value) && cfi_emit_byte(stretch, number);
	case CFI_RULE_UNDEFINED:
		return cfi_emit_byte(stretch, DW_CFA_undefined) && cfi_emit_byte(stretch, number);
	case CFI_RULE_OFFSET:
	case CFI_RULE_VAL_OFFSET:
		return rule->value != INT64_MIN &&
		       say_offset(stretch, number, rule->value, rule->kind == CFI_RULE_VAL_OFFSET);
	case CFI_RULE_REGISTER:
		return cfi_emit_byte(stretch, DW_CFA_register) && cfi_emit_byte(stretch, number) &&
		       say_uleb(stretch, (uint64_t)rule->value);
	case CFI_RULE_EXPRESSION:
	case CFI_RULE_VAL_EXPRESSION:
		return cfi_emit_byte(stretch, rule->kind == CFI_RULE_VAL_EXPRESSION
						      ? DW_CFA_val_expression
						      : DW_CFA_expression) &&
		       cfi_emit_byte(stretch, number) &&
		       say_block(stretch, rule->expression, rule->size);
	}
	return false;
}

bool cfi_emit(struct plan_stretch *stretch, const struct cfi_transcode_state *from,
	      const struct cfi_transcode_state *to)
{
	if (!say_cfa(stretch, from, to))
		return false;
	for (uint8_t i = 0; i < CFI_TRANSCODE_REGISTERS; i++)
		if (!is_same_rule(&from->rules[i], &to->rules[i]) &&
		    !say_rule(stretch, i, &to->rules[i]))
			return false;
	return true;
}
