/* Call frame instructions: three forms with an operand, and the rest by opcode. */
#include "object/unwind/cfi_decode.h"

#include "object/unwind/cfi_opcodes.h"

#define OPERAND 0x3f /* in the first byte of the most frequent instructions */

/* Offsets are factored by the data alignment; in hostile programs they overflow. */
static int64_t decode_scaled(const struct cfi_entry *entry, uint64_t factored)
{
	return (int64_t)(factored * (uint64_t)entry->data_alignment);
}

static struct cfi_bytes take_block(struct cfi_bytes *bytes)
{
	uint64_t size = cfi_uleb(bytes);
	struct cfi_bytes block = {bytes->at, bytes->at, false};

	cfi_skip(bytes, size);
	if (!bytes->is_bad)
		block.end = bytes->at;
	return block;
}

static void take_rule(enum cfi_rule_kind kind, int64_t value, struct cfi_step *step)
{
	step->kind = CFI_STEP_RULE;
	step->rule.kind = kind;
	step->rule.value = value;
}

static void take_location(const struct cfi_entry *entry, uint64_t location, uint64_t units,
			  struct cfi_step *step)
{
	step->kind = CFI_STEP_ADVANCE;
	step->location = location + units * entry->code_alignment;
}

static void take_cfa(const struct cfi_entry *entry, uint8_t code, struct cfi_bytes *bytes,
		     struct cfi_step *step)
{
	const bool is_whole = code == DW_CFA_def_cfa || code == DW_CFA_def_cfa_sf;

	step->kind = is_whole ? CFI_STEP_CFA : CFI_STEP_CFA_OFFSET;
	if (is_whole)
		step->number = cfi_uleb(bytes);
	step->offset = code == DW_CFA_def_cfa_sf || code == DW_CFA_def_cfa_offset_sf
			       ? decode_scaled(entry, (uint64_t)cfi_sleb(bytes))
			       : (int64_t)cfi_uleb(bytes);
}

/* Instructions whose first operand is a register. */
static bool take_register(const struct cfi_entry *entry, uint8_t code, struct cfi_bytes *bytes,
			  struct cfi_step *step)
{
	step->number = cfi_uleb(bytes);
	switch (code) {
	case DW_CFA_offset_extended:
		take_rule(CFI_RULE_OFFSET, decode_scaled(entry, cfi_uleb(bytes)), step);
		return true;
	case DW_CFA_offset_extended_sf:
		take_rule(CFI_RULE_OFFSET, decode_scaled(entry, (uint64_t)cfi_sleb(bytes)), step);
		return true;
	case DW_CFA_GNU_negative_offset_extended:
		take_rule(CFI_RULE_OFFSET, decode_scaled(entry, 0 - cfi_uleb(bytes)), step);
		return true;
	case DW_CFA_val_offset:
		take_rule(CFI_RULE_VAL_OFFSET, decode_scaled(entry, cfi_uleb(bytes)), step);
		return true;
	case DW_CFA_val_offset_sf:
		take_rule(CFI_RULE_VAL_OFFSET, decode_scaled(entry, (uint64_t)cfi_sleb(bytes)),
			  step);
		return true;
	case DW_CFA_register:
		take_rule(CFI_RULE_REGISTER, (int64_t)cfi_uleb(bytes), step);
		return true;
	case DW_CFA_undefined:
		take_rule(CFI_RULE_UNDEFINED, 0, step);
		return true;
	case DW_CFA_same_value:
		take_rule(CFI_RULE_SAME_VALUE, 0, step);
		return true;
	case DW_CFA_expression:
	case DW_CFA_val_expression:
		take_rule(code == DW_CFA_expression ? CFI_RULE_EXPRESSION : CFI_RULE_VAL_EXPRESSION,
			  0, step);
		step->rule.expression = take_block(bytes);
		return true;
	case DW_CFA_restore_extended:
		step->kind = CFI_STEP_RESTORE;
		return true;
	case DW_CFA_def_cfa_register:
		step->kind = CFI_STEP_CFA_REGISTER;
		return true;
	default:
		return false;
	}
}

/* Instructions that are an opcode alone, or advance the location, or define the CFA. */
static bool take_other(const struct cfi_section *section, const struct cfi_entry *entry,
		       uint64_t location, uint8_t code, struct cfi_bytes *bytes,
		       struct cfi_step *step)
{
	switch (code) {
	case DW_CFA_nop:
		return true;
	case DW_CFA_GNU_args_size:
		cfi_uleb(bytes);
		return true;
	case DW_CFA_set_loc:
		step->kind = CFI_STEP_ADVANCE;
		step->location = cfi_pointer(section, bytes, entry->encoding);
		return true;
	case DW_CFA_advance_loc1:
		take_location(entry, location, cfi_u8(bytes), step);
		return true;
	case DW_CFA_advance_loc2:
		take_location(entry, location, cfi_u16(bytes), step);
		return true;
	case DW_CFA_advance_loc4:
		take_location(entry, location, cfi_u32(bytes), step);
		return true;
	case DW_CFA_def_cfa:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_offset:
	case DW_CFA_def_cfa_offset_sf:
		take_cfa(entry, code, bytes, step);
		return true;
	case DW_CFA_def_cfa_expression:
		step->kind = CFI_STEP_CFA_EXPRESSION;
		step->rule.expression = take_block(bytes);
		return true;
	case DW_CFA_remember_state:
		step->kind = CFI_STEP_REMEMBER;
		return true;
	case DW_CFA_restore_state:
		step->kind = CFI_STEP_RECALL;
		return true;
	case DW_CFA_AARCH64_negate_ra_state:
		step->kind = CFI_STEP_SIGN;
		return true;
	default:
		return take_register(entry, code, bytes, step);
	}
}

bool cfi_decode(const struct cfi_section *section, const struct cfi_entry *entry, uint64_t location,
		struct cfi_bytes *bytes, struct cfi_step *out)
{
	uint8_t code = cfi_u8(bytes);
	bool is_known = true;

	*out = (struct cfi_step){.kind = CFI_STEP_NOTHING, .number = code & OPERAND};
	switch (code & ~OPERAND) {
	case DW_CFA_advance_loc:
		take_location(entry, location, code & OPERAND, out);
		break;
	case DW_CFA_offset:
		take_rule(CFI_RULE_OFFSET, decode_scaled(entry, cfi_uleb(bytes)), out);
		break;
	case DW_CFA_restore:
		out->kind = CFI_STEP_RESTORE;
		break;
	default:
		is_known = take_other(section, entry, location, code, bytes, out);
	}
	return is_known && !bytes->is_bad;
}
