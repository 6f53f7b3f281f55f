/* Hand-written kernels often have no description.  Their code from the interrupted instruction to
 * the return determines where the caller is: whatever moves the stack pointer, or restores it from
 * another register, is followed along the straight path; other computations are unknown.  Once per
 * address: the outcome is cached as a row. */
#include "object/unwind/epilogue.h"

#include <string.h>

#include "object/code/rowranges.h"
#include "object/code/x86_64/machine.h"
#include "object/unwind/unwind_rows.h"

#define INSTRUCTIONS_MAX 8192u
#define JUMPS_MAX	 16u
#define LOOKUP_EVERY	 16u /* instructions between lookups of known ranges */

/* The stack pointer and the frame pointer at the return, as a row. */
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
	const uint8_t *jumps[JUMPS_MAX]; /* followed already */
	unsigned jump_count;
	/* The last instruction before which a register had its initial value, on the straight path
	 * and with nothing written to the stack: up to there the row is the same if it needs no
	 * other register. */
	const uint8_t *last[REGISTERS];
};

/* A jump that was followed before closes a loop: its exit is a branch in the loop, and often leads
 * to the code after it.  False: out of the text. */
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

/* After an instruction: how far do initial values still hold? */
static void note_state(struct path *path, const struct machine *machine, const uint8_t *instruction)
{
	if (machine->slot_count > 0 || path->jump_count > 0)
		return;
	for (unsigned i = 0; i < REGISTERS; i++)
		if (path->last[i] == instruction && machine_keeps(machine, i))
			path->last[i] = path->code;
}

/* The base register of a row, as instructions number it. */
static unsigned epilogue_base_of(uint64_t row)
{
	static const uint8_t numbers[REGISTERS] = {0, 2, 1,  3,	 6,  7,	 5,  4,
						   8, 9, 10, 11, 12, 13, 14, 15};

	return numbers[row >> 48 & 15];
}

static void epilogue_keep(const struct path *path, const uint8_t *first, uint64_t generation,
			  uint64_t row)
{
	const uint8_t *last = path->last[epilogue_base_of(row)];

	last = path->last[RSP] < last ? path->last[RSP] : last;
	last = path->last[RBP] < last ? path->last[RBP] : last;
	rowranges_add((uintptr_t)first, (uintptr_t)last, generation, row);
}

/* The row is that of a known range that the path enters. */
static bool joins(const struct path *path, uint64_t generation, uint64_t *row)
{
	const uint8_t *at = path->code;

	return path->last[RSP] == at && path->last[RBP] == at &&
	       rowranges_find((uintptr_t)at, generation, row) &&
	       path->last[epilogue_base_of(*row)] == at;
}

/* Follow the path to its return; false: not possible. */
static bool epilogue_follow(struct path *path, uint64_t generation, uint64_t *row_out)
{
	struct machine machine;
	struct cfi_row row;

	machine_begin(&machine);
	for (unsigned i = 0; i < INSTRUCTIONS_MAX; i++) {
		const uint8_t *at = path->code;
		struct instruction what;

		if (i % LOOKUP_EVERY == 0 && joins(path, generation, row_out))
			return true;
		if (!instruction_decode(at, (size_t)(path->end - at), &what))
			return false;
		machine.jump = 0;
		machine_execute(&machine, &what);
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
	if (!epilogue_follow(&path, generation, &row))
		return false;
	epilogue_keep(&path, code, generation, row);
	memcpy(row_out, &row, sizeof(*row_out));
	return true;
}
