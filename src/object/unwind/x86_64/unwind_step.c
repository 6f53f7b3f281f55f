/* The return from a signal, registers other than the two that are always known, frame pointers, and
 * code without a description. */
#include "object/unwind/x86_64/unwind_step.h"

#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#define FOLLOWED_MAX (16u << 20) /* from the stack pointer to a frame pointer */

/* Index of a register in a saved context, by its DWARF number. */
static const uint8_t context_indices[16] = {
	REG_RAX, REG_RDX, REG_RCX, REG_RBX, REG_RSI, REG_RDI, REG_RBP, REG_RSP,
	REG_R8,	 REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
};

/* A handler's frame begins with the context that its return will restore. */
static uint64_t place_in_context(uint64_t context, unsigned place)
{
	return context + offsetof(ucontext_t, uc_mcontext.gregs) + sizeof(greg_t) * place;
}

/* The value of a register in the last frame reached: from the innermost frame outwards, it is
 * unchanged unless a frame between has saved it. */
static bool recover(const struct reader *reader, const struct walked *walked, unsigned number,
		    uint64_t *value_out)
{
	const struct unwind_frame *frames = walked->frames;
	bool is_known = walked->from->context != NULL;
	int32_t offset;

	if (is_known)
		*value_out = (uint64_t)((const ucontext_t *)walked->from->context)
				     ->uc_mcontext.gregs[context_indices[number]];
	for (size_t i = 0; i + 1 < walked->count; i++) {
		uint64_t word = reader->row(reader->context, frames[i].address, frames[i].address);
		uint64_t place;

		if (ROW_CFA(word & ~UNWIND_ROW_LATE) == CFI_CFA_SIGNAL) {
			place = place_in_context(frames[i].low, context_indices[number]);
		} else if (!reader->saved(reader->context, frames[i].address, number, &offset)) {
			is_known = false; /* until a frame that saved it */
			continue;
		} else if (offset == CFI_FRAME_KEPT) {
			continue;
		} else {
			place = frames[i + 1].low + (uint64_t)(int64_t)offset;
		}
		is_known = reader->read(reader->context, place, value_out);
	}
	return is_known;
}

static enum step leave_handler(const struct reader *reader, struct unwind_registers *at)
{
	struct unwind_registers to = {.pc = 0};

	if (!reader->read(reader->context, place_in_context(at->sp, REG_RIP), &to.pc) ||
	    !reader->read(reader->context, place_in_context(at->sp, REG_RSP), &to.sp) ||
	    !reader->read(reader->context, place_in_context(at->sp, REG_RBP), &to.fp))
		return STEP_TORN;
	if (to.pc == 0)
		return STEP_COMPLETE;
	*at = to;
	return STEP_INTERRUPTED;
}

/* A signal handler was called by no instruction: its return address is the beginning of the return
 * code. */
static bool is_plausible(const struct reader *reader, uint64_t back)
{
	return reader->is_return(reader->context, back) ||
	       ROW_CFA(reader->row(reader->context, back - 1, back) & ~UNWIND_ROW_LATE) ==
		       CFI_CFA_SIGNAL;
}

/* No row: follow the frame pointer if everything about it is consistent. */
static enum step follow_frame(const struct reader *reader, struct unwind_registers *at)
{
	uint64_t frame = at->fp, saved, back;

	if (!reader->is_code(reader->context, at->pc))
		return STEP_NOWHERE;
	if (frame == 0)
		return STEP_COMPLETE; /* marked by the ABI as the outermost frame */
	if ((frame & 7) || frame < at->sp || frame - at->sp > FOLLOWED_MAX ||
	    !reader->read(reader->context, frame, &saved) ||
	    !reader->read(reader->context, frame + 8, &back))
		return STEP_LOST;
	if (back == 0)
		return STEP_COMPLETE;
	if (!reader->is_return_of(reader->context, back, at->pc))
		return STEP_LOST;
	at->pc = back;
	at->sp = frame + 16;
	at->fp = saved;
	return STEP_CALLER;
}

static bool find_register(const struct reader *reader, const struct walked *walked,
			  const struct unwind_registers *at, unsigned number, uint64_t *value_out)
{
	if (context_indices[number] != REG_RSP && context_indices[number] != REG_RBP)
		return recover(reader, walked, number, value_out);
	*value_out = context_indices[number] == REG_RSP ? at->sp : at->fp;
	return true;
}

static bool find_cfa(const struct reader *reader, const struct cfi_row *row,
		     const struct walked *walked, const struct unwind_registers *at,
		     uint64_t *cfa_out)
{
	uint64_t offset = (uint64_t)(int64_t)row->cfa_offset;

	switch (row->cfa) {
	case CFI_CFA_STACK:
		*cfa_out = at->sp + offset;
		return true;
	case CFI_CFA_FRAME:
		*cfa_out = at->fp + offset;
		return true;
	case CFI_CFA_FRAME_DEREF:
		return reader->read(reader->context, at->fp + offset, cfa_out);
	case CFI_CFA_STACK_DEREF:
		if (!reader->read(reader->context, at->sp + offset, cfa_out))
			return false;
		*cfa_out += 8;
		return true;
	case CFI_CFA_PLT:
		*cfa_out = at->sp + ((at->pc & 15) >= offset ? 16 : 8);
		return true;
	default: /* CFI_CFA_REGISTER, CFI_CFA_CODE */
		if (!find_register(reader, walked, at, row->cfa & 15, cfa_out))
			return false;
		*cfa_out += offset;
		return true;
	}
}

static bool find_return(const struct reader *reader, const struct cfi_row *row,
			const struct walked *walked, uint64_t cfa, uint64_t *back_out)
{
	if (row->return_offset < CFI_RETURN_MIN)
		return recover(reader, walked, (unsigned)(row->return_offset - INT8_MIN), back_out);
	return reader->read(reader->context, cfa + (uint64_t)(int64_t)row->return_offset, back_out);
}

static bool step_find_frame(const struct reader *reader, const struct cfi_row *row, uint64_t cfa,
			    struct unwind_registers *at)
{
	uint64_t offset = (uint64_t)(int64_t)row->frame_offset;

	if (row->frame_offset == CFI_FRAME_KEPT)
		return true;
	if (offset & 1)
		return reader->read(reader->context, at->fp + offset - 1, &at->fp);
	return reader->read(reader->context, cfa + offset, &at->fp);
}

/* From a function that was called through: its callee has not changed the stack. */
static enum step follow_shadow(const struct reader *reader, const struct cfi_row *row,
			       struct unwind_registers *at)
{
	uint64_t cfa = at->sp + (uint64_t)(int64_t)row->cfa_offset, back;

	if ((cfa & 7) || cfa < at->sp ||
	    !reader->read(reader->context, (cfa - 8) ^ CFI_SHADOW_BIT, &back))
		return STEP_TORN;
	if (back == 0)
		return STEP_COMPLETE;
	at->pc = back;
	at->sp = cfa;
	return STEP_THROUGH;
}

enum step unwind_step_rare(const struct reader *reader, uint64_t word, const struct walked *walked,
			   struct unwind_registers *at)
{
	uint64_t cfa, back;
	struct cfi_row row;

	if (word & UNWIND_ROW_LATE)
		word = reader->confirm(reader->context, walked->frames[walked->count - 1].address,
				       at->pc, word);
	memcpy(&row, &word, sizeof(row));
	if (row.cfa == CFI_CFA_NONE)
		return word == 0 ? follow_frame(reader, at) : STEP_LOST;
	if (row.cfa == CFI_CFA_SIGNAL)
		return leave_handler(reader, at);
	if (row.cfa == CFI_CFA_OUTERMOST)
		return STEP_COMPLETE;
	if (row.cfa == CFI_CFA_SHADOW)
		return follow_shadow(reader, &row, at);
	if (!find_cfa(reader, &row, walked, at, &cfa))
		return STEP_LOST;
	/* Only a function whose return address is not on the stack may leave the stack pointer
	 * unchanged. */
	if ((cfa & 7) || cfa < at->sp || (cfa == at->sp && row.return_offset >= CFI_RETURN_MIN) ||
	    !find_return(reader, &row, walked, cfa, &back) ||
	    !step_find_frame(reader, &row, cfa, at))
		return STEP_TORN;
	if (back == 0)
		return STEP_COMPLETE;
	if (row.cfa >= CFI_CFA_CODE && !is_plausible(reader, back))
		return STEP_LOST;
	at->pc = back;
	at->sp = cfa;
	return STEP_CALLER;
}

bool unwind_is_indirect_call(const uint8_t before[UNWIND_CALL_MAX])
{
	static const uint8_t lengths[] = {2, 3, 4, 6, 7};

	for (size_t i = 0; i < sizeof(lengths); i++) {
		const uint8_t *code = before + UNWIND_CALL_MAX - lengths[i];

		if (code[0] == 0xff && (code[1] & 0x38) == 0x10)
			return true;
	}
	return false;
}

uint64_t unwind_called_directly(const uint8_t before[UNWIND_CALL_MAX], uint64_t address)
{
	int32_t distance;

	if (before[UNWIND_CALL_MAX - 5] != 0xe8)
		return 0;
	memcpy(&distance, before + UNWIND_CALL_MAX - 4, sizeof(distance));
	return address + (uint64_t)(int64_t)distance;
}
