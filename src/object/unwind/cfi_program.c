/* Call frame instructions (DWARF 4, section 6.4.2, and GNU's own).
 * Rules of registers that no row speaks of are read over. */
#include "object/unwind/cfi_program.h"

#include "object/unwind/cfi_opcodes.h"

#define REMEMBERED_MAX	 8u	    /* a handler's stack may be small */
#define INSTRUCTIONS_MAX (1u << 16) /* of one program: bounds the time it takes */

struct machine {
	const struct cfi_section *section;
	const struct cfi_entry *entry;
	uint64_t asked;
	uint64_t location;
	bool is_initial; /* the common entry's instructions run now */
	bool is_bad;
	struct cfi_state state;
	struct cfi_state initial; /* behind the common entry's instructions */
	struct cfi_rule other;	  /* of the registers that are not followed */
	struct cfi_state remembered[REMEMBERED_MAX];
	unsigned depth;
	cfi_state_fn each; /* NULL: only the last state matters */
	void *context;
};

static struct cfi_rule *rule_of(struct machine *machine, uint64_t number)
{
	enum cfi_register which = cfi_register_of(number);

	if (number == machine->entry->return_register)
		which = CFI_RETURN;
	else if (number == machine->asked)
		which = CFI_ASKED;
	return which == CFI_REGISTERS ? &machine->other : &machine->state.rules[which];
}

static void set_rule(struct machine *machine, uint64_t number, enum cfi_rule_kind kind,
		     int64_t value)
{
	*rule_of(machine, number) = (struct cfi_rule){.kind = kind, .value = value};
}

static void restore_rule(struct machine *machine, uint64_t number)
{
	struct cfi_rule *rule = rule_of(machine, number);

	if (machine->is_initial)
		machine->is_bad = true;
	else if (rule != &machine->other)
		*rule = machine->initial.rules[rule - machine->state.rules];
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

static void set_expression(struct machine *machine, struct cfi_bytes *bytes,
			   enum cfi_rule_kind kind)
{
	uint64_t number = cfi_uleb(bytes);

	*rule_of(machine, number) =
		(struct cfi_rule){.kind = kind, .expression = take_block(bytes)};
}

/* Offsets are counted in units of the data alignment; in hostile programs they overflow. */
static int64_t scaled(const struct machine *machine, uint64_t factored)
{
	return (int64_t)(factored * (uint64_t)machine->entry->data_alignment);
}

static void define_cfa(struct machine *machine, uint64_t number, int64_t offset)
{
	machine->state.has_expression = false;
	machine->state.cfa_register = number;
	machine->state.cfa_offset = offset;
}

/* DW_CFA_remember_state and _restore_state */
static void remember(struct machine *machine)
{
	if (machine->depth == REMEMBERED_MAX)
		machine->is_bad = true;
	else
		machine->remembered[machine->depth++] = machine->state;
}

static void recall(struct machine *machine)
{
	if (machine->depth == 0)
		machine->is_bad = true;
	else
		machine->state = machine->remembered[--machine->depth];
}

/* How far the location moves; false when the instruction is not one that moves it. */
static bool take_advance(struct machine *machine, uint8_t code, struct cfi_bytes *bytes,
			 uint64_t *to_out)
{
	uint64_t units;

	switch (code) {
	case DW_CFA_set_loc:
		*to_out = cfi_pointer(machine->section, bytes, machine->entry->encoding);
		return true;
	case DW_CFA_advance_loc1:
		units = cfi_u8(bytes);
		break;
	case DW_CFA_advance_loc2:
		units = cfi_u16(bytes);
		break;
	case DW_CFA_advance_loc4:
		units = cfi_u32(bytes);
		break;
	default:
		if ((code & 0xc0) != DW_CFA_advance_loc)
			return false;
		units = code & 0x3f;
	}
	*to_out = machine->location + units * machine->entry->code_alignment;
	return true;
}

static void change_cfa(struct machine *machine, uint8_t code, struct cfi_bytes *bytes)
{
	uint64_t number;

	switch (code) {
	case DW_CFA_def_cfa:
		number = cfi_uleb(bytes);
		define_cfa(machine, number, (int64_t)cfi_uleb(bytes));
		break;
	case DW_CFA_def_cfa_sf:
		number = cfi_uleb(bytes);
		define_cfa(machine, number, scaled(machine, (uint64_t)cfi_sleb(bytes)));
		break;
	case DW_CFA_def_cfa_register:
		define_cfa(machine, cfi_uleb(bytes), machine->state.cfa_offset);
		break;
	case DW_CFA_def_cfa_offset:
		define_cfa(machine, machine->state.cfa_register, (int64_t)cfi_uleb(bytes));
		break;
	case DW_CFA_def_cfa_offset_sf:
		define_cfa(machine, machine->state.cfa_register,
			   scaled(machine, (uint64_t)cfi_sleb(bytes)));
		break;
	case DW_CFA_def_cfa_expression:
		machine->state.has_expression = true;
		machine->state.cfa_expression = take_block(bytes);
		break;
	default:
		machine->is_bad = true;
	}
}

static void change_rule(struct machine *machine, uint8_t code, struct cfi_bytes *bytes)
{
	uint64_t number = cfi_uleb(bytes);

	switch (code) {
	case DW_CFA_offset_extended:
		set_rule(machine, number, CFI_RULE_OFFSET, scaled(machine, cfi_uleb(bytes)));
		break;
	case DW_CFA_offset_extended_sf:
		set_rule(machine, number, CFI_RULE_OFFSET,
			 scaled(machine, (uint64_t)cfi_sleb(bytes)));
		break;
	case DW_CFA_GNU_negative_offset_extended:
		set_rule(machine, number, CFI_RULE_OFFSET, scaled(machine, 0 - cfi_uleb(bytes)));
		break;
	case DW_CFA_val_offset:
		set_rule(machine, number, CFI_RULE_VAL_OFFSET, scaled(machine, cfi_uleb(bytes)));
		break;
	case DW_CFA_val_offset_sf:
		set_rule(machine, number, CFI_RULE_VAL_OFFSET,
			 scaled(machine, (uint64_t)cfi_sleb(bytes)));
		break;
	case DW_CFA_restore_extended:
		restore_rule(machine, number);
		break;
	case DW_CFA_undefined:
		set_rule(machine, number, CFI_RULE_UNDEFINED, 0);
		break;
	case DW_CFA_same_value:
		set_rule(machine, number, CFI_RULE_SAME_VALUE, 0);
		break;
	default: /* DW_CFA_register */
		set_rule(machine, number, CFI_RULE_REGISTER, (int64_t)cfi_uleb(bytes));
	}
}

/* All that does not move the location. */
static void execute(struct machine *machine, uint8_t code, struct cfi_bytes *bytes)
{
	switch (code) {
	case DW_CFA_nop:
	case DW_CFA_AARCH64_negate_ra_state: /* signs the return address: its place is the same */
		break;
	case DW_CFA_remember_state:
		remember(machine);
		break;
	case DW_CFA_restore_state:
		recall(machine);
		break;
	case DW_CFA_def_cfa ... DW_CFA_def_cfa_expression:
	case DW_CFA_def_cfa_sf:
	case DW_CFA_def_cfa_offset_sf:
		change_cfa(machine, code, bytes);
		break;
	case DW_CFA_offset_extended ... DW_CFA_register:
	case DW_CFA_offset_extended_sf:
	case DW_CFA_val_offset:
	case DW_CFA_val_offset_sf:
	case DW_CFA_GNU_negative_offset_extended:
		change_rule(machine, code, bytes);
		break;
	case DW_CFA_expression:
		set_expression(machine, bytes, CFI_RULE_EXPRESSION);
		break;
	case DW_CFA_val_expression:
		set_expression(machine, bytes, CFI_RULE_VAL_EXPRESSION);
		break;
	case DW_CFA_GNU_args_size:
		cfi_uleb(bytes);
		break;
	default:
		if ((code & 0xc0) == DW_CFA_offset)
			set_rule(machine, code & 0x3f, CFI_RULE_OFFSET,
				 scaled(machine, cfi_uleb(bytes)));
		else if ((code & 0xc0) == DW_CFA_restore)
			restore_rule(machine, code & 0x3f);
		else
			machine->is_bad = true;
	}
}

/* Instructions up to the one that leads beyond pc. */
static bool run(struct machine *machine, struct cfi_bytes bytes, uint64_t pc)
{
	for (unsigned count = 0; cfi_left(&bytes) > 0 && !machine->is_bad; count++) {
		uint8_t code = cfi_u8(&bytes);
		uint64_t location;

		if (count == INSTRUCTIONS_MAX)
			return false;
		if (!take_advance(machine, code, &bytes, &location)) {
			execute(machine, code, &bytes);
			continue;
		}
		if (bytes.is_bad || location < machine->location)
			return false;
		if (location > pc)
			return true;
		if (machine->each && location > machine->location)
			machine->each(machine->context, machine->location, location,
				      &machine->state);
		machine->location = location;
	}
	return !machine->is_bad && !bytes.is_bad;
}

/* All that comes before the entry's own instructions. */
static bool prepare(struct machine *machine, const struct cfi_section *section,
		    const struct cfi_entry *entry, uint64_t asked)
{
	machine->section = section;
	machine->entry = entry;
	machine->asked = asked;
	machine->location = entry->start;
	machine->is_initial = true;
	machine->is_bad = false;
	machine->depth = 0;
	machine->each = NULL;
	memset(&machine->state, 0, sizeof(machine->state));
	if (!run(machine, entry->initial, UINT64_MAX))
		return false;
	machine->initial = machine->state;
	machine->is_initial = false;
	machine->depth = 0;
	machine->location = entry->start;
	return true;
}

bool cfi_run(const struct cfi_section *section, const struct cfi_entry *entry, uint64_t pc,
	     uint64_t asked, struct cfi_state *state_out)
{
	struct machine machine;

	if (!prepare(&machine, section, entry, asked) || !run(&machine, entry->program, pc))
		return false;
	*state_out = machine.state;
	return true;
}

bool cfi_run_all(const struct cfi_section *section, const struct cfi_entry *entry,
		 cfi_state_fn each, void *context)
{
	struct machine machine;

	if (!prepare(&machine, section, entry, CFI_NONE_ASKED))
		return false;
	machine.each = each;
	machine.context = context;
	if (!run(&machine, entry->program, entry->end - 1))
		return false;
	each(context, machine.location, entry->end, &machine.state);
	return true;
}
