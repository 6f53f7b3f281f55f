/* Hand-written kernels often have no description.  What their code does from the interrupted
 * instruction to the return says where the caller is: all that moves the stack pointer, or
 * brings it back from another register, is followed along the straight path; what is computed
 * otherwise is not known.  Once for an address: the outcome is kept as a row. */
#include <string.h>

#include "platform/codeways.h"
#include "platform/instruction_x86_64.h"
#include "platform/unwind_rows.h"

#define INSTRUCTIONS_MAX 8192u
#define SLOTS_MAX	 24u
#define JUMPS_MAX	 16u
#define LOOK_EVERY	 16u /* instructions, whether their way is known */

enum { RAX, RCX, RDX, RBX, RSP, RBP, RSI, RDI, R8, R11 = 11, REGISTERS = 16 };

struct value {
	enum { UNKNOWN, SUM, LOADED } kind; /* register + offset, or the word there */
	uint8_t number;			    /* of a register as it was at the beginning */
	int64_t offset;
};

struct slot {		      /* memory that the code has written */
	struct value address; /* SUM */
	struct value value;
};

struct machine {
	struct value registers[REGISTERS];
	struct slot slots[SLOTS_MAX];
	unsigned slot_count;
	bool is_stopped; /* nothing can be said of what follows */
	bool has_returned;
	int64_t jump; /* from the next instruction */
};

static const struct value unknown = {UNKNOWN, 0, 0};

/* ---- values ---------------------------------------------------------------------------- */

static void forget(struct machine *machine, unsigned number)
{
	machine->registers[number] = unknown;
}

static void forget_all(struct machine *machine, uint32_t numbers)
{
	for (unsigned i = 0; i < REGISTERS; i++)
		if (numbers >> i & 1)
			forget(machine, i);
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

static struct value load(struct machine *machine, struct value address)
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

static void store(struct machine *machine, struct value address, struct value value)
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

static struct value address_of(const struct machine *machine, const struct instruction *what)
{
	if (what->base == INSTRUCTION_NO_BASE || what->index != INSTRUCTION_NO_BASE)
		return unknown;
	return plus(machine->registers[what->base], what->displacement);
}

static void push(struct machine *machine, struct value value)
{
	machine->registers[RSP] = plus(machine->registers[RSP], -8);
	store(machine, machine->registers[RSP], value);
}

static struct value pop(struct machine *machine)
{
	struct value value = load(machine, machine->registers[RSP]);

	machine->registers[RSP] = plus(machine->registers[RSP], 8);
	return value;
}

/* ---- instructions ------------------------------------------------------------------------ */

static void forget_operand(struct machine *machine, const struct instruction *what)
{
	if (what->mod == 3)
		forget(machine, what->rm);
	else if (what->is_wide)
		store(machine, address_of(machine, what), unknown);
}

static void called(struct machine *machine)
{
	forget_all(machine, 1u << RAX | 1u << RCX | 1u << RDX | 1u << RSI | 1u << RDI | 0xf00u);
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
		forget(machine, RAX);
	else if (what->opcode & 2)
		forget(machine, what->reg & 15);
	else
		forget_operand(machine, what);
}

static void move(struct machine *machine, const struct instruction *what)
{
	struct value from;

	if (what->opcode == 0x8d) { /* lea */
		from = address_of(machine, what);
		machine->registers[what->reg] = what->is_wide ? from : unknown;
	} else if (what->opcode == 0x8b) {
		from = what->mod == 3 ? machine->registers[what->rm]
				      : load(machine, address_of(machine, what));
		machine->registers[what->reg] = what->is_wide ? from : unknown;
	} else if (what->mod == 3) { /* 89 */
		machine->registers[what->rm] =
			what->is_wide ? machine->registers[what->reg] : unknown;
	} else {
		store(machine, address_of(machine, what),
		      what->is_wide ? machine->registers[what->reg] : unknown);
	}
}

/* F6, F7, FE, FF */
static void group(struct machine *machine, const struct instruction *what)
{
	const unsigned operation = what->reg & 7;
	const bool is_last = what->opcode >= 0xfe;

	if (!is_last && operation >= 4)
		forget_all(machine, 1u << RAX | 1u << RDX);
	else if (!is_last && operation >= 2)
		forget_operand(machine, what);
	else if (is_last && operation <= 1)
		forget_operand(machine, what);
	else if (is_last && operation == 2)
		called(machine);
	else if (is_last && operation == 6)
		push(machine, unknown);
	else if (is_last)
		machine->is_stopped = true; /* a jump to what is not known */
}

static void one_byte(struct machine *machine, const struct instruction *what)
{
	switch (what->opcode) {
	case 0x00 ... 0x3f:
		arithmetic(machine, what);
		break;
	case 0x50 ... 0x57:
		push(machine, machine->registers[what->rm]);
		break;
	case 0x58 ... 0x5f:
		machine->registers[what->rm] = pop(machine);
		break;
	case 0x63:
	case 0x69:
	case 0x6b:
	case 0x8a:
		forget(machine, what->reg);
		break;
	case 0x68:
	case 0x6a:
	case 0x9c:
		push(machine, unknown);
		break;
	case 0x8f:
	case 0x9d:
		pop(machine);
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
		forget(machine, what->reg);
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
		forget_all(machine, 1u << RAX | 1u << RCX | 1u << RDX | 1u << RSI | 1u << RDI);
		break;
	case 0xb0 ... 0xbf:
		forget(machine, what->rm);
		break;
	case 0xc2 ... 0xc3:
		machine->has_returned = true;
		break;
	case 0xc9: /* leave */
		machine->registers[RSP] = machine->registers[RBP];
		machine->registers[RBP] = pop(machine);
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
		/* A function begins (endbr64): this one has ended without a return. */
		machine->is_stopped = what->mod == 3 && (what->reg & 7) == 7;
		break;
	case 0x01:
	case 0x05:
	case 0x31:
	case 0xa2:
		forget_all(machine, 1u << RAX | 1u << RBX | 1u << RCX | 1u << RDX | 1u << R11);
		break;
	case 0x2c ... 0x2d:
	case 0x40 ... 0x4f:
	case 0x50:
	case 0xaf:
	case 0xb6 ... 0xb8:
	case 0xbc ... 0xbf:
	case 0xc5:
	case 0xd7:
		forget(machine, what->reg);
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
		forget(machine, RAX);
		forget(machine, what->reg);
		forget_operand(machine, what);
		break;
	case 0xc8 ... 0xcf:
		forget(machine, what->opcode & 7);
		forget(machine, 8 | (what->opcode & 7));
		break;
	}
}

static void longer(struct machine *machine, const struct instruction *what)
{
	if (what->map == 3 && what->opcode >= 0xf0 && what->opcode <= 0xf7) {
		forget(machine, what->reg);
		forget(machine, what->other);
	} else if (what->map == 4 && what->opcode >= 0x14 && what->opcode <= 0x17) {
		forget_operand(machine, what);
	} else if (what->map == 4 && what->opcode == 0xf0) {
		forget(machine, what->reg);
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
		forget(machine, what->reg);
		break;
	case 0x7e:
		forget_operand(machine, what);
		break;
	}
}

static void execute(struct machine *machine, const struct instruction *what)
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

/* ---- the outcome ------------------------------------------------------------------------- */

/* The stack pointer and the frame pointer at the return as a row. */
static bool reduce(const struct machine *machine, struct cfi_row *row)
{
	static const uint8_t numbers[REGISTERS] = {0, 2, 1,  3,	 7,  6,	 4,  5,
						   8, 9, 10, 11, 12, 13, 14, 15};
	const struct value *stack = &machine->registers[RSP], *frame = &machine->registers[RBP];
	int64_t offset = stack->offset + 8, place;

	if (stack->kind != SUM || offset != (int32_t)offset)
		return false;
	row->cfa = (uint8_t)(CFI_CFA_CODE + numbers[stack->number]);
	row->cfa_offset = (int32_t)offset;
	row->return_offset = -8;
	row->frame_offset = CFI_FRAME_KEPT;
	if (frame->kind == SUM && frame->number == RBP && frame->offset == 0)
		return true;
	place = frame->offset - offset;
	row->frame_offset = (int16_t)place;
	return frame->kind == LOADED && frame->number == stack->number && place % 2 == 0 &&
	       place == (int16_t)place && place != CFI_FRAME_KEPT;
}

struct path {
	const uint8_t *start, *code, *end;
	const uint8_t *jumps[JUMPS_MAX]; /* taken already */
	unsigned jump_count;
	/* The last instruction in front of which a register was what it is at the beginning,
	 * on the straight way and with nothing written to the stack: up to there, if a row
	 * needs no other, it is the same. */
	const uint8_t *last[REGISTERS];
};

/* A jump that was taken before ends a loop: its way out is a branch in the loop, and often
 * leads to what stands behind.  False: out of the text. */
static bool take_jump(struct path *path, int64_t distance)
{
	if (distance > path->end - path->code || distance < path->start - path->code)
		return false;
	for (unsigned i = 0; i < path->jump_count; i++)
		if (path->jumps[i] == path->code)
			return true;
	if (path->jump_count == JUMPS_MAX)
		return false;
	path->jumps[path->jump_count++] = path->code;
	path->code += distance;
	return true;
}

static bool is_as_before(const struct machine *machine, unsigned number)
{
	const struct value *value = &machine->registers[number];

	return value->kind == SUM && value->number == number && value->offset == 0;
}

/* Behind an instruction: how far does what was so at the beginning still hold? */
static void note_state(struct path *path, const struct machine *machine, const uint8_t *instruction)
{
	if (machine->slot_count > 0 || path->jump_count > 0)
		return;
	for (unsigned i = 0; i < REGISTERS; i++)
		if (path->last[i] == instruction && is_as_before(machine, i))
			path->last[i] = path->code;
}

/* Which register a row counts from, as instructions number it. */
static unsigned base_of(uint64_t row)
{
	static const uint8_t numbers[REGISTERS] = {0, 2, 1,  3,	 6,  7,	 5,  4,
						   8, 9, 10, 11, 12, 13, 14, 15};

	return numbers[row >> 48 & 15];
}

static void keep(const struct path *path, const uint8_t *first, uint64_t generation, uint64_t row)
{
	const uint8_t *last = path->last[base_of(row)];

	last = path->last[RSP] < last ? path->last[RSP] : last;
	last = path->last[RBP] < last ? path->last[RBP] : last;
	codeways_keep((uintptr_t)first, (uintptr_t)last, generation, row);
}

/* The row is the one of a stretch that the way leads into. */
static bool joins(const struct path *path, uint64_t generation, uint64_t *row)
{
	const uint8_t *at = path->code;

	return path->last[RSP] == at && path->last[RBP] == at &&
	       codeways_find((uintptr_t)at, generation, row) && path->last[base_of(*row)] == at;
}

/* Along the path to its return; false: it cannot be followed. */
static bool follow(struct path *path, uint64_t generation, uint64_t *row_out)
{
	struct machine machine = {.slot_count = 0};
	struct cfi_row row;

	for (unsigned i = 0; i < REGISTERS; i++)
		machine.registers[i] = (struct value){SUM, (uint8_t)i, 0};
	for (unsigned i = 0; i < INSTRUCTIONS_MAX; i++) {
		const uint8_t *at = path->code;
		struct instruction what;

		if (i % LOOK_EVERY == 0 && joins(path, generation, row_out))
			return true;
		if (!instruction_decode(at, (size_t)(path->end - at), &what))
			return false;
		machine.jump = 0;
		execute(&machine, &what);
		if (machine.is_stopped)
			return false;
		if (machine.has_returned) {
			if (!reduce(&machine, &row))
				return false;
			*row_out = unwind_row_word(&row);
			return true;
		}
		path->code += what.length;
		if (machine.jump != 0 && !take_jump(path, machine.jump))
			return false;
		note_state(path, &machine, at);
	}
	return false;
}

bool unwind_row_by_epilogue(const uint8_t *code, size_t before, size_t size, uint64_t generation,
			    struct cfi_row *row_out)
{
	struct path path = {.start = code - before, .code = code, .end = code + size};
	uint64_t row;

	for (unsigned i = 0; i < REGISTERS; i++)
		path.last[i] = code;
	if (!follow(&path, generation, &row))
		return false;
	keep(&path, code, generation, row);
	memcpy(row_out, &row, sizeof(*row_out));
	return true;
}
