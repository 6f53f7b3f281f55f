/* Unwind rules, emitted as instructions that change one state into another (DWARF 4, section
 * 6.4.2). */
#include "patch/plan/frames/cfi_emit.h"

#include <string.h>

#include "base/array.h"
#include "object/unwind/cfi_opcodes.h"

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

static bool cfi_emit_uleb(struct plan_stretch *stretch, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		if (!cfi_emit_byte(stretch, (uint8_t)(value | 0x80)))
			return false;
	return cfi_emit_byte(stretch, (uint8_t)value);
}

static bool cfi_emit_sleb(struct plan_stretch *stretch, int64_t value)
{
	while (value < -64 || value > 63) {
		if (!cfi_emit_byte(stretch, (uint8_t)(value | 0x80)))
			return false;
		value >>= 7;
	}
	return cfi_emit_byte(stretch, (uint8_t)(value & 0x7f));
}

static bool cfi_emit_block(struct plan_stretch *stretch, const uint8_t *bytes, uint32_t size)
{
	return cfi_emit_uleb(stretch, size) && cfi_emit_bytes(stretch, bytes, size);
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

static bool cfi_emit_cfa(struct plan_stretch *stretch, const struct cfi_transcode_state *from,
			 const struct cfi_transcode_state *to)
{
	if (is_same_cfa(from, to))
		return true;
	if (to->is_expression)
		return cfi_emit_byte(stretch, DW_CFA_def_cfa_expression) &&
		       cfi_emit_block(stretch, to->cfa_expression, to->cfa_size);
	if (to->cfa_offset < 0)
		return cfi_emit_byte(stretch, DW_CFA_def_cfa_sf) &&
		       cfi_emit_uleb(stretch, to->cfa_register) &&
		       cfi_emit_sleb(stretch, -to->cfa_offset);
	if (!from->is_expression && from->cfa_register == to->cfa_register)
		return cfi_emit_byte(stretch, DW_CFA_def_cfa_offset) &&
		       cfi_emit_uleb(stretch, (uint64_t)to->cfa_offset);
	return cfi_emit_byte(stretch, DW_CFA_def_cfa) && cfi_emit_uleb(stretch, to->cfa_register) &&
	       cfi_emit_uleb(stretch, (uint64_t)to->cfa_offset);
}

static bool is_same_rule(const struct cfi_transcode_rule *a, const struct cfi_transcode_rule *b)
{
	if (a->kind != b->kind || a->size != b->size)
		return false;
	if (a->kind == CFI_RULE_EXPRESSION || a->kind == CFI_RULE_VAL_EXPRESSION)
		return memcmp(a->expression, b->expression, a->size) == 0;
	return a->value == b->value;
}

/* An offset from the CFA: factored by CFI_TRANSCODE_DATA_ALIGNMENT. */
static bool cfi_emit_offset(struct plan_stretch *stretch, uint8_t number, int64_t value,
			    bool is_value)
{
	if (value > 0)
		return cfi_emit_byte(stretch,
				     is_value ? DW_CFA_val_offset_sf : DW_CFA_offset_extended_sf) &&
		       cfi_emit_byte(stretch, number) && cfi_emit_sleb(stretch, -value);
	if (is_value)
		return cfi_emit_byte(stretch, DW_CFA_val_offset) &&
		       cfi_emit_byte(stretch, number) && cfi_emit_uleb(stretch, (uint64_t)-value);
	return cfi_emit_byte(stretch, DW_CFA_offset | number) &&
	       cfi_emit_uleb(stretch, (uint64_t)-value);
}

static bool cfi_emit_rule(struct plan_stretch *stretch, uint8_t number,
			  const struct cfi_transcode_rule *rule)
{
	switch ((enum cfi_rule_kind)rule->kind) {
	case CFI_RULE_UNSPECIFIED: /* the CIE has no rule either */
		return cfi_emit_byte(stretch, DW_CFA_restore | number);
	case CFI_RULE_SAME_VALUE:
		return cfi_emit_byte(stretch, DW_CFA_same_value) && cfi_emit_byte(stretch, number);
	case CFI_RULE_UNDEFINED:
		return cfi_emit_byte(stretch, DW_CFA_undefined) && cfi_emit_byte(stretch, number);
	case CFI_RULE_OFFSET:
	case CFI_RULE_VAL_OFFSET:
		return rule->value != INT64_MIN &&
		       cfi_emit_offset(stretch, number, rule->value,
				       rule->kind == CFI_RULE_VAL_OFFSET);
	case CFI_RULE_REGISTER:
		return cfi_emit_byte(stretch, DW_CFA_register) && cfi_emit_byte(stretch, number) &&
		       cfi_emit_uleb(stretch, (uint64_t)rule->value);
	case CFI_RULE_EXPRESSION:
	case CFI_RULE_VAL_EXPRESSION:
		return cfi_emit_byte(stretch, rule->kind == CFI_RULE_VAL_EXPRESSION
						      ? DW_CFA_val_expression
						      : DW_CFA_expression) &&
		       cfi_emit_byte(stretch, number) &&
		       cfi_emit_block(stretch, rule->expression, rule->size);
	}
	return false;
}

bool cfi_emit(struct plan_stretch *stretch, const struct cfi_transcode_state *from,
	      const struct cfi_transcode_state *to)
{
	if (!cfi_emit_cfa(stretch, from, to))
		return false;
	for (uint8_t i = 0; i < CFI_TRANSCODE_REGISTERS; i++)
		if (!is_same_rule(&from->rules[i], &to->rules[i]) &&
		    !cfi_emit_rule(stretch, i, &to->rules[i]))
			return false;
	return true;
}
