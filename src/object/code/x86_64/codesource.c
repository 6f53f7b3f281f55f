/* Backwards analysis, one instruction at a time: the source of a register's value after it is
 * expressed by values before it. */
#include "object/code/codesource.h"

#include "object/code/x86_64/machine.h"

#define INSTRUCTIONS_MAX 1024u
#define STEPS_MAX	 256u
#define BRANCHES_MAX	 8u
#define SHIFTS_MAX	 16u /* bytes tried before instructions end at the right place */

struct code {
	const uint8_t *start, *end;
	uint16_t offsets[INSTRUCTIONS_MAX + 1]; /* where each begins; the last: the end */
	unsigned count;
};

struct search {
	unsigned number; /* traced, after instruction at - 1 */
	unsigned at;
	unsigned label;	   /* the earliest instruction that certainly leads here */
	uint32_t kept;	   /* registers unchanged from here to the end */
	int64_t stack;	   /* the stack pointer here, minus the one at the end */
	bool has_stack;	   /* stack is known */
	unsigned branches; /* taken so far */
	bool has_moved;	   /* number is not the requested register any more */
};

/* False: they do not end at the end, or are too many. */
static bool divide_from(struct code *code, size_t offset)
{
	const size_t size = (size_t)(code->end - code->start);
	struct instruction what;

	for (code->count = 0; offset < size; offset += what.length) {
		if (code->count == INSTRUCTIONS_MAX ||
		    !instruction_decode(code->start + offset, size - offset, &what))
			return false;
		code->offsets[code->count++] = (uint16_t)offset;
	}
	code->offsets[code->count] = (uint16_t)offset;
	return offset == size;
}

/* Decoding from the middle of code synchronises soon. */
static bool codesource_divide(struct code *code, bool is_function)
{
	for (size_t shift = 0; shift < (is_function ? 1 : SHIFTS_MAX); shift++)
		if (shift < (size_t)(code->end - code->start) && divide_from(code, shift))
			return true;
	return false;
}

static const uint8_t *codesource_bytes_of(const struct code *code, unsigned index)
{
	return code->start + code->offsets[index];
}

static struct instruction instruction_at(const struct code *code, unsigned index)
{
	struct instruction what;

	(void)instruction_decode(codesource_bytes_of(code, index),
				 code->offsets[index + 1] - code->offsets[index], &what);
	return what;
}

static bool codesource_is_branch(const struct instruction *what)
{
	if (what->map == 1)
		return (what->opcode & 0xf0) == 0x70 || what->opcode == 0xe9 ||
		       what->opcode == 0xeb;
	return what->map == 2 && !what->is_vector && (what->opcode & 0xf0) == 0x80;
}

static bool is_nop(const struct instruction *what)
{
	return (what->map == 1 && what->opcode == 0x90) || (what->map == 2 && what->opcode == 0x1f);
}

/* Control flow does not continue after it. */
static bool ends_way(const struct machine *machine)
{
	return machine->is_stopped || machine->has_returned || machine->jump != 0;
}

/* A branch to the label; count = none. */
static unsigned find_branch(const struct code *code, unsigned label)
{
	for (unsigned i = 0; i < code->count; i++) {
		const struct instruction what = instruction_at(code, i);
		int64_t target = code->offsets[i] + what.length + what.immediate;

		if (codesource_is_branch(&what) && target == code->offsets[label])
			return i;
	}
	return code->count;
}

static struct codesource constant(int64_t value)
{
	return (struct codesource){CODESOURCE_CONSTANT, 0, (int32_t)value};
}

static const struct codesource none = {CODESOURCE_NONE, 0, 0};

/* Instructions that load a constant into a register. */
static bool is_constant(const struct instruction *what, unsigned number, int64_t *value_out)
{
	const bool is_own = what->mod == 3 && what->rm == number;

	if (what->map != 1 || what->is_vector)
		return false;
	*value_out = what->immediate;
	if (what->opcode >= 0xb8 && what->opcode <= 0xbf)
		return what->rm == number;
	if (what->opcode == 0xc7)
		return is_own;
	*value_out = 0;
	return (what->opcode == 0x31 || what->opcode == 0x33) && is_own && what->reg == number;
}

/* Moves of the lower half, and extending moves: numbers of calls are small. */
static bool take_narrow(const struct instruction *what, unsigned number, struct value *out)
{
	const bool is_load = what->opcode == 0x8b || what->opcode == 0x63;

	if (what->map != 1 || what->is_vector)
		return false;
	if (is_load && what->reg == number && what->mod != 3) {
		if (what->base == INSTRUCTION_NO_BASE || what->index != INSTRUCTION_NO_BASE)
			return false;
		*out = (struct value){LOADED, what->base, what->displacement};
		return true;
	}
	if (is_load && what->reg == number)
		*out = (struct value){SUM, what->rm, 0};
	else if (what->opcode == 0x89 && what->mod == 3 && what->rm == number)
		*out = (struct value){SUM, what->reg, 0};
	else
		return false;
	return true;
}

/* A thread-local address: of another thread or of this one. */
static bool has_segment(const uint8_t *bytes)
{
	return bytes[0] == 0x64 || bytes[0] == 0x65 || bytes[1] == 0x64 || bytes[1] == 0x65;
}

static void codesource_pass(struct search *search, const struct machine *machine)
{
	const struct value *stack = &machine->registers[RSP];

	for (unsigned i = 0; i < REGISTERS; i++)
		if (!machine_keeps(machine, i))
			search->kept &= ~(1u << i);
	search->has_stack &= stack->kind == SUM && stack->number == RSP;
	search->stack -= stack->offset;
}

static struct codesource from_memory(const struct search *search, const struct value *value)
{
	int64_t offset = value->offset;

	if (value->number == RSP) {
		if (!search->has_stack)
			return none;
		offset += search->stack;
	} else if (!(search->kept >> value->number & 1)) {
		return none;
	}
	if (offset != (int32_t)offset)
		return none;
	return (struct codesource){CODESOURCE_MEMORY, value->number, (int32_t)offset};
}

/* A pop of what was pushed immediately before. */
static struct codesource from_push(const struct code *code, struct search *search)
{
	struct instruction what;

	if (search->at == 0)
		return none;
	what = instruction_at(code, search->at - 1);
	if (what.map == 1 && (what.opcode == 0x68 || what.opcode == 0x6a))
		return constant(what.immediate);
	return none;
}

enum outcome { FOUND, ON, BLOCKED };

/* Step back over instruction at - 1. */
static enum outcome step_back(const struct code *code, struct search *search,
			      struct codesource *out)
{
	const struct instruction what = instruction_at(code, search->at - 1);
	const uint8_t *bytes = codesource_bytes_of(code, search->at - 1);
	struct machine machine;
	struct value value;
	int64_t number;

	machine_begin(&machine);
	machine_execute(&machine, &what);
	if (ends_way(&machine))
		return BLOCKED;
	search->at--;
	codesource_pass(search, &machine);
	if (is_constant(&what, search->number, &number)) {
		*out = constant(number);
		return FOUND;
	}
	value = machine.registers[search->number];
	if (value.kind == UNKNOWN && !take_narrow(&what, search->number, &value))
		return BLOCKED;
	if (value.kind == LOADED) {
		if (what.map == 1 && (what.opcode & 0xf8) == 0x58)
			*out = from_push(code, search);
		else
			*out = has_segment(bytes) ? none : from_memory(search, &value);
		return FOUND;
	}
	if (value.offset != 0)
		return BLOCKED;
	search->has_moved |= value.number != search->number;
	search->number = value.number;
	if (!is_nop(&what))
		search->label = search->at;
	return ON;
}

/* If there is no fall-through path back, or it loses the register, a branch may lead here. */
static bool codesource_take_branch(const struct code *code, struct search *search,
				   const struct search *here)
{
	unsigned branch;

	if (here->branches == BRANCHES_MAX)
		return false;
	branch = find_branch(code, here->label);
	if (branch == code->count)
		return false;
	*search = *here;
	search->branches++;
	search->at = branch;
	search->label = branch;
	return true;
}

static struct codesource codesource_follow(const struct code *code, bool is_function,
					   struct search *search)
{
	struct codesource found = none;

	for (unsigned i = 0; i < STEPS_MAX; i++) {
		const struct search here = *search;

		if (search->has_moved && search->kept >> search->number & 1)
			return (struct codesource){CODESOURCE_REGISTER, (uint8_t)search->number, 0};
		if (search->at == 0)
			return is_function ? (struct codesource){CODESOURCE_ARGUMENT,
								 (uint8_t)search->number, 0}
					   : none;
		switch (step_back(code, search, &found)) {
		case FOUND:
			return found;
		case ON:
			break;
		case BLOCKED:
			if (!codesource_take_branch(code, search, &here))
				return none;
			break;
		}
	}
	return none;
}

struct codesource codesource_find(const uint8_t *start, const uint8_t *at, int is_function,
				  unsigned number, uint32_t kept)
{
	struct code code = {.start = start, .end = at};
	struct search search = {.number = number, .kept = kept, .has_stack = true};

	if (at <= start || at - start > UINT16_MAX || !codesource_divide(&code, is_function))
		return none;
	search.at = search.label = code.count;
	return codesource_follow(&code, is_function, &search);
}
