/* The program of a frame description: rules of registers that no row contains are skipped. */
#include "object/unwind/cfi_program.h"

#define REMEMBERED_MAX	 8u	    /* a handler's stack may be small */
#define INSTRUCTIONS_MAX (1u << 16) /* of one program: limits the time it takes */

struct machine {
	const struct cfi_section *section;
	const struct cfi_entry *entry;
	uint64_t requested;
	uint64_t location;
	bool is_initial; /* the CIE's instructions are being executed */
	bool is_bad;
	struct cfi_state state;
	struct cfi_state initial; /* after the CIE's instructions */
	struct cfi_rule other;	  /* of registers that are not tracked */
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
	else if (number == machine->requested)
		which = CFI_REQUESTED;
	return which == CFI_REGISTERS ? &machine->other : &machine->state.rules[which];
}

static void program_restore_rule(struct machine *machine, uint64_t number)
{
	struct cfi_rule *rule = rule_of(machine, number);

	if (machine->is_initial)
		machine->is_bad = true;
	else if (rule != &machine->other)
		*rule = machine->initial.rules[rule - machine->state.rules];
}

static void program_define_cfa(struct machine *machine, uint64_t number, int64_t offset)
{
	machine->state.has_expression = false;
	machine->state.cfa_register = number;
	machine->state.cfa_offset = offset;
}

static void program_remember(struct machine *machine)
{
	if (machine->depth == REMEMBERED_MAX)
		machine->is_bad = true;
	else
		machine->remembered[machine->depth++] = machine->state;
}

static void program_recall(struct machine *machine)
{
	if (machine->depth == 0)
		machine->is_bad = true;
	else
		machine->state = machine->remembered[--machine->depth];
}

/* All but location advances. */
static void program_execute(struct machine *machine, const struct cfi_step *step)
{
	switch (step->kind) {
	case CFI_STEP_NOTHING:
	case CFI_STEP_ADVANCE:
	case CFI_STEP_SIGN: /* the return address is still at its location */
		break;
	case CFI_STEP_CFA:
		program_define_cfa(machine, step->number, step->offset);
		break;
	case CFI_STEP_CFA_REGISTER:
		program_define_cfa(machine, step->number, machine->state.cfa_offset);
		break;
	case CFI_STEP_CFA_OFFSET:
		program_define_cfa(machine, machine->state.cfa_register, step->offset);
		break;
	case CFI_STEP_CFA_EXPRESSION:
		machine->state.has_expression = true;
		machine->state.cfa_expression = step->rule.expression;
		break;
	case CFI_STEP_RULE:
		*rule_of(machine, step->number) = step->rule;
		break;
	case CFI_STEP_RESTORE:
		program_restore_rule(machine, step->number);
		break;
	case CFI_STEP_REMEMBER:
		program_remember(machine);
		break;
	case CFI_STEP_RECALL:
		program_recall(machine);
		break;
	}
}

/* Execute instructions up to the one that advances beyond pc. */
static bool program_run(struct machine *machine, struct cfi_bytes bytes, uint64_t pc)
{
	struct cfi_step step;

	for (unsigned count = 0; cfi_left(&bytes) > 0 && !machine->is_bad; count++) {
		if (count == INSTRUCTIONS_MAX ||
		    !cfi_decode(machine->section, machine->entry, machine->location, &bytes, &step))
			return false;
		if (step.kind != CFI_STEP_ADVANCE) {
			program_execute(machine, &step);
			continue;
		}
		if (step.location < machine->location)
			return false;
		if (step.location > pc)
			return true;
		if (machine->each && step.location > machine->location)
			machine->each(machine->context, machine->location, step.location,
				      &machine->state);
		machine->location = step.location;
	}
	return !machine->is_bad;
}

/* Execute everything before the FDE's own instructions. */
static bool program_prepare(struct machine *machine, const struct cfi_section *section,
			    const struct cfi_entry *entry, uint64_t requested)
{
	machine->section = section;
	machine->entry = entry;
	machine->requested = requested;
	machine->location = entry->start;
	machine->is_initial = true;
	machine->is_bad = false;
	machine->depth = 0;
	machine->each = NULL;
	memset(&machine->state, 0, sizeof(machine->state));
	if (!program_run(machine, entry->initial, UINT64_MAX))
		return false;
	machine->initial = machine->state;
	machine->is_initial = false;
	machine->depth = 0;
	machine->location = entry->start;
	return true;
}

bool cfi_run(const struct cfi_section *section, const struct cfi_entry *entry, uint64_t pc,
	     uint64_t requested, struct cfi_state *state_out)
{
	struct machine machine;

	if (!program_prepare(&machine, section, entry, requested) ||
	    !program_run(&machine, entry->program, pc))
		return false;
	*state_out = machine.state;
	return true;
}

bool cfi_run_all(const struct cfi_section *section, const struct cfi_entry *entry,
		 cfi_state_fn each, void *context)
{
	struct machine machine;

	if (!program_prepare(&machine, section, entry, CFI_NONE_REQUESTED))
		return false;
	machine.each = each;
	machine.context = context;
	if (!program_run(&machine, entry->program, entry->end - 1))
		return false;
	each(context, machine.location, entry->end, &machine.state);
	return true;
}
