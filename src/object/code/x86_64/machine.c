/* The effects of instructions on general registers and on memory addressed through them, as far as
 * values are moved unchanged; other results are unknown. */
#include "object/code/x86_64/machine.h"

static const struct value unknown = {UNKNOWN, 0, 0};

static void machine_forget(struct machine *machine, unsigned number)
{
	machine->registers[number] = unknown;
}

static void machine_forget_all(struct machine *machine, uint32_t numbers)
{
	for (unsigned i = 0; i < REGISTERS; i++)
		if (numbers >> i & 1)
			machine_forget(machine, i);
}

static struct value plus(struct value value, int64_t offset)
{
	if (value.kind != SUM)
		return unknown;
	value.offset = (int64_t)((uint64_t)value.offset + (uint64_t)offset);
	return value;
}

static struct slot *find_slot(struct machine *machine, const struct value *address)
{
	for (unsigned i = 0; i < machine->slot_count; i++)
		if (machine->slots[i].address.number == address->number &&
		    machine->slots[i].address.offset == address->offset)
			return &machine->slots[i];
	return NULL;
}

static struct value machine_load(struct machine *machine, struct value address)
{
	const struct slot *slot;

	if (address.kind != SUM)
		return unknown;
	slot = find_slot(machine, &address);
	if (slot)
		return slot->value;
	address.kind = LOADED;
	return address;
}

static void machine_store(struct machine *machine, struct value address, struct value value)
{
	struct slot *slot;

	if (address.kind != SUM)
		return;
	slot = find_slot(machine, &address);
	if (!slot && machine->slot_count < SLOTS_MAX)
		slot = &machine->slots[machine->slot_count++];
	if (!slot)
		machine->is_stopped = true;
	else
		*slot = (struct slot){address, value};
}

static struct value machine_address_of(const struct machine *machine,
				       const struct instruction *what)
{
	if (what->base == INSTRUCTION_NO_BASE || what->index != INSTRUCTION_NO_BASE)
		return unknown;
	return plus(machine->registers[what->base], what->displacement);
}

static void machine_push(struct machine *machine, struct value value)
{
	machine->registers[RSP] = plus(machine->registers[RSP], -8);
	machine_store(machine, machine->registers[RSP], value);
}

static struct value machine_pop(struct machine *machine)
{
	struct value value = machine_load(machine, machine->registers[RSP]);

	machine->registers[RSP] = plus(machine->registers[RSP], 8);
	return value;
}

static void forget_operand(struct machine *machine, const struct instruction *what)
{
	if (what->mod == 3)
		machine_forget(machine, what->rm);
	else if (what->is_wide)
		machine_store(machine, machine_address_of(machine, what), unknown);
}

static void called(struct machine *machine)
{
	machine_forget_all(machine,
			   1u << RAX | 1u << RCX | 1u << RDX | 1u << RSI | 1u << RDI | 0xf00u);
}

/* add, or, adc … cmp of a register or memory and an immediate: 80, 81, 83 */
static void with_immediate(struct machine *machine, const struct instruction *what)
{
	const unsigned operation = what->reg & 7;

	if (operation == 7)
		return;
	if (what->mod == 3 && what->is_wide && (operation == 0 || operation == 5))
		machine->registers[what->rm] =
			plus(machine->registers[what->rm],
			     operation == 0 ? what->immediate : -what->immediate);
	else
		forget_operand(machine, what);
}

/* 00 … 3F */
static void arithmetic(struct machine *machine, const struct instruction *what)
{
	if (what->opcode >= 0x38) /* cmp */
		return;
	if ((what->opcode & 7) >= 4)
		machine_forget(machine, RAX);
	else if (what->opcode & 2)
		machine_forget(machine, what->reg & 15);
	else
		forget_operand(machine, what);
}

static void move(struct machine *machine, const struct instruction *what)
{
	struct value from;

	if (what->opcode == 0x8d) { /* lea */
		from = machine_address_of(machine, what);
		machine->registers[what->reg] = what->is_wide ? from : unknown;
	} else if (what->opcode == 0x8b) {
		from = what->mod == 3 ? machine->registers[what->rm]
				      : machine_load(machine, machine_address_of(machine, what));
		machine->registers[what->reg] = what->is_wide ? from : unknown;
	} else if (what->mod == 3) { /* 89 */
		machine->registers[what->rm] =
			what->is_wide ? machine->registers[what->reg] : unknown;
	} else {
		machine_store(machine, machine_address_of(machine, what),
			      what->is_wide ? machine->registers[what->reg] : unknown);
	}
}

/* F6, F7, FE, FF */
static void group(struct machine *machine, const struct instruction *what)
{
	const unsigned operation = what->reg & 7;
	const bool is_last = what->opcode >= 0xfe;

	if (!is_last && operation >= 4)
		machine_forget_all(machine, 1u << RAX | 1u << RDX);
	else if (!is_last && operation >= 2)
		forget_operand(machine, what);
	else if (is_last && operation <= 1)
		forget_operand(machine, what);
	else if (is_last && operation == 2)
		called(machine);
	else if (is_last && operation == 6)
		machine_push(machine, unknown);
	else if (is_last)
		machine->is_stopped = true; /* an indirect jump */
}

static void one_byte(struct machine *machine, const struct instruction *what)
{
	switch (what->opcode) {
	case 0x00 ... 0x3f:
		arithmetic(machine, what);
		break;
	case 0x50 ... 0x57:
		machine_push(machine, machine->registers[what->rm]);
		break;
	case 0x58 ... 0x5f:
		machine->registers[what->rm] = machine_pop(machine);
		break;
	case 0x63:
	case 0x69:
	case 0x6b:
	case 0x8a:
		machine_forget(machine, what->reg);
		break;
	case 0x68:
	case 0x6a:
	case 0x9c:
		machine_push(machine, unknown);
		break;
	case 0x8f:
	case 0x9d:
		machine_pop(machine);
		break;
	case 0x70 ... 0x7f: /* not taken */
	case 0x84 ... 0x85:
	case 0x90:
	case 0x9b:
	case 0x9e:
	case 0xa8 ... 0xa9:
	case 0xd8 ... 0xde:
	case 0xf5:
	case 0xf8 ... 0xf9:
	case 0xfc ... 0xfd:
		break;
	case 0x80 ... 0x83:
		with_immediate(machine, what);
		break;
	case 0x86 ... 0x87:
		machine_forget(machine, what->reg);
		forget_operand(machine, what);
		break;
	case 0x88:
	case 0xc0 ... 0xc1:
	case 0xc6 ... 0xc7:
	case 0xd0 ... 0xd3:
		forget_operand(machine, what);
		break;
	case 0x89:
	case 0x8b:
	case 0x8d:
		move(machine, what);
		break;
	case 0x98 ... 0x99:
	case 0x9f ... 0xa7:
	case 0xaa ... 0xaf:
	case 0xdf:
	case 0xe0 ... 0xe3:
		machine_forget_all(machine,
				   1u << RAX | 1u << RCX | 1u << RDX | 1u << RSI | 1u << RDI);
		break;
	case 0xb0 ... 0xbf:
		machine_forget(machine, what->rm);
		break;
	case 0xc2 ... 0xc3:
		machine->has_returned = true;
		break;
	case 0xc9: /* leave */
		machine->registers[RSP] = machine->registers[RBP];
		machine->registers[RBP] = machine_pop(machine);
		break;
	case 0xe8:
		called(machine);
		break;
	case 0xe9:
	case 0xeb:
		machine->jump = what->immediate;
		break;
	case 0xf6 ... 0xf7:
	case 0xfe ... 0xff:
		group(machine, what);
		break;
	default:
		machine->is_stopped = true;
	}
}

/* Behind 0F: what writes a general register; nearly all the others write vectors. */
static void two_bytes(struct machine *machine, const struct instruction *what)
{
	switch (what->opcode) {
	case 0x0b:
		machine->is_stopped = true;
		break;
	case 0x1e:
		/* A function begins (endbr64): the previous one has ended without a return. */
		machine->is_stopped = what->mod == 3 && (what->reg & 7) == 7;
		break;
	case 0x01:
	case 0x05:
	case 0x31:
	case 0xa2:
		machine_forget_all(machine,
				   1u << RAX | 1u << RBX | 1u << RCX | 1u << RDX | 1u << R11);
		break;
	case 0x2c ... 0x2d:
	case 0x40 ... 0x4f:
	case 0x50:
	case 0xaf:
	case 0xb6 ... 0xb8:
	case 0xbc ... 0xbf:
	case 0xc5:
	case 0xd7:
		machine_forget(machine, what->reg);
		break;
	case 0x7e:
	case 0x90 ... 0x9f:
	case 0xa4 ... 0xa5:
	case 0xab ... 0xad:
	case 0xb3:
	case 0xba ... 0xbb:
		forget_operand(machine, what);
		break;
	case 0xb0 ... 0xb1:
	case 0xc0 ... 0xc1:
		machine_forget(machine, RAX);
		machine_forget(machine, what->reg);
		forget_operand(machine, what);
		break;
	case 0xc8 ... 0xcf:
		machine_forget(machine, what->opcode & 7);
		machine_forget(machine, 8 | (what->opcode & 7));
		break;
	}
}

static void longer(struct machine *machine, const struct instruction *what)
{
	if (what->map == 3 && what->opcode >= 0xf0 && what->opcode <= 0xf7) {
		machine_forget(machine, what->reg);
		machine_forget(machine, what->other);
	} else if (what->map == 4 && what->opcode >= 0x14 && what->opcode <= 0x17) {
		forget_operand(machine, what);
	} else if (what->map == 4 && what->opcode == 0xf0) {
		machine_forget(machine, what->reg);
	}
}

static void vector(struct machine *machine, const struct instruction *what)
{
	if (what->map != 2) {
		longer(machine, what);
		return;
	}
	switch (what->opcode) {
	case 0x2c ... 0x2d:
	case 0x50:
	case 0x93:
	case 0xc5:
	case 0xd7:
		machine_forget(machine, what->reg);
		break;
	case 0x7e:
		forget_operand(machine, what);
		break;
	}
}

void machine_execute(struct machine *machine, const struct instruction *what)
{
	if (what->is_vector)
		vector(machine, what);
	else if (what->map == 1)
		one_byte(machine, what);
	else if (what->map == 2)
		two_bytes(machine, what);
	else
		longer(machine, what);
}

void machine_begin(struct machine *machine)
{
	machine->slot_count = 0;
	machine->is_stopped = machine->has_returned = false;
	machine->jump = 0;
	for (unsigned i = 0; i < REGISTERS; i++)
		machine->registers[i] = (struct value){SUM, (uint8_t)i, 0};
}

bool machine_keeps(const struct machine *machine, unsigned number)
{
	const struct value *value = &machine->registers[number];

	return value->kind == SUM && value->number == number && value->offset == 0;
}
