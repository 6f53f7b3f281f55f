/* Code of AArch64 that all functions of a plan share: the ends of calls, and slow paths. */
#include "patch/plan/aarch64/planshared.h"

#include <stddef.h>

#include "patch/plan/aarch64/planarithmetic.h"
#include "patch/plan/aarch64/planpieces.h"

struct exit_block {
	struct plan_out hot, cold;
	unsigned slot; /* offset of the stack pointer outside from that of the block */
	size_t slow[2], far, off;
	unsigned slow_count;
	bool has_far;
	uint32_t commit, restore;
};

static void planshared_emit_record(struct exit_block *block)
{
	struct plan_out to = block->hot;

	arm_adrp(to, ARM_X16, PLAN_TO_SWITCH, 0);
	arm_ldrb(to, ARM_X16, ARM_X16, 0);
	block->off = arm_cbnz(to, ARM_X16, PLAN_TO_HOT, 0);
	arm_stp(to, ARM_X0, ARM_X1, ARM_FRAME_X0);
	arm_thread(to);
	arm_ldr(to, ARM_X0, ARM_X17, ARM_HOT(state));
	block->slow[block->slow_count++] = arm_cbnz(to, ARM_X0, PLAN_TO_HOT, 0);
	arm_add_number(to, ARM_X0, ARM_SP, block->slot);
	arm_str(to, ARM_X0, ARM_X17, ARM_HOT(state));
	arm_time(to);
	arm_add_number(to, ARM_X0, ARM_X1, 1);
	arm_shift_right(to, ARM_X0, ARM_X0, PATCH_EXIT_TICKS_BITS);
	block->far = arm_cbnz(to, ARM_X0, PLAN_TO_HOT, 0);
	block->has_far = true;
	arm_shift_left(to, ARM_X1, ARM_X1, PATCH_EXIT_TICKS_SHIFT);
	arm_word(to, 0xb27f0021); /* orr x1, x1, #2 */
	arm_add_number(to, ARM_X0, ARM_SP, block->slot);
	arm_shift_right(to, ARM_X0, ARM_X0, PATCH_SLOT_SHIFT);
	arm_insert(to, ARM_X1, ARM_X0, PATCH_EXIT_SLOT_SHIFT, 10);
	arm_ldr(to, ARM_X0, ARM_X17, ARM_HOT(cursor));
	arm_str32(to, ARM_X1, ARM_X0, 0);
	arm_add_number(to, ARM_X0, ARM_X0, PATCH_EXIT_BYTES);
	block->commit = arm_here(to);
	block->slow[block->slow_count++] = arm_commit(to);
}

/* COUNTS: only the end of a timed call matters. */
static void emit_timed(struct exit_block *block)
{
	struct plan_out to = block->hot;

	arm_thread(to);
	arm_ldr(to, ARM_X17, ARM_X17, ARM_HOT(timed));
	arm_add_number(to, ARM_X16, ARM_SP, block->slot);
	arm_sub(to, ARM_X17, ARM_X17, ARM_X16);
	block->off = arm_cbnz(to, ARM_X17, PLAN_TO_HOT, 0);
	arm_stp(to, ARM_X0, ARM_X1, ARM_FRAME_X0);
	block->slow[block->slow_count++] = arm_b(to, PLAN_TO_HOT, 0);
}

/* A record with an absolute time, which last has. */
static void emit_long(struct exit_block *block)
{
	struct plan_out to = block->cold;

	arm_land(block->hot, block->far);
	arm_b(block->hot, PLAN_TO_COLD, arm_here(to));
	arm_mark(to, PLAN_RULE_PUSHED, false);
	arm_add_number(to, ARM_X1, ARM_SP, block->slot);
	arm_bits(to, ARM_X1, ARM_X1, PATCH_SLOT_SHIFT, 10);
	arm_shift_left(to, ARM_X1, ARM_X1, PATCH_EXIT_SLOT_SHIFT);
	/* orr x1, x1, all ones of the ticks, and 2: bits 1 to 13 */
	arm_word(to, 0xb27f3021);
	arm_ldr(to, ARM_X0, ARM_X17, ARM_HOT(cursor));
	arm_str32(to, ARM_X1, ARM_X0, 0);
	arm_ldr(to, ARM_X1, ARM_X17, ARM_HOT(last));
	arm_stur(to, ARM_X1, ARM_X0, PATCH_EXIT_BYTES);
	arm_add_number(to, ARM_X0, ARM_X0, PATCH_EXIT_BYTES + PATCH_TIME_BYTES);
	arm_b(to, PLAN_TO_HOT, block->commit);
}

static void emit_slow(struct exit_block *block)
{
	struct plan_out to = block->cold;

	for (unsigned i = 0; i < block->slow_count; i++)
		arm_land(block->hot, block->slow[i]);
	arm_b(block->hot, PLAN_TO_COLD, arm_here(to));
	arm_mark(to, PLAN_RULE_PUSHED, false);
	arm_str(to, ARM_LINK, ARM_SP, ARM_FRAME_LINK);
	arm_mark(to, PLAN_RULE_PUSHED_LINK, false);
	arm_add_number(to, ARM_X0, ARM_SP, block->slot);
	arm_vector(to, ARM_X17, ARM_VECTOR(slow_exit));
	arm_blr(to, ARM_X17);
	arm_ldr(to, ARM_LINK, ARM_SP, ARM_FRAME_LINK);
	arm_mark(to, PLAN_RULE_PUSHED, false);
	arm_b(to, PLAN_TO_HOT, block->restore);
}

/* Record an exit and return.  outside: bytes between the stack pointers of the block's caller and
 * of the function. */
static uint32_t planshared_emit_exit(struct plan_blob *blob, unsigned outside)
{
	struct exit_block block = {
		.hot = {blob, false}, .cold = {blob, true}, .slot = ARM_FRAME_BYTES + outside};
	struct plan_out to = block.hot;
	uint32_t start;

	planblob_align(blob, false, PLAN_ALIGN);
	start = arm_here(to);
	arm_mark(to, PLAN_RULE_ENTRY, false);
	arm_push(to, ARM_X16, ARM_X17, ARM_FRAME_BYTES);
	arm_mark(to, PLAN_RULE_PUSHED, false);
	if (blob->cost == PATCH_COST_COUNTS)
		emit_timed(&block);
	else
		planshared_emit_record(&block);
	block.restore = arm_here(to);
	arm_ldp(to, ARM_X0, ARM_X1, ARM_FRAME_X0);
	arm_land(to, block.off);
	arm_pop(to, ARM_X16, ARM_X17, ARM_FRAME_BYTES);
	arm_mark(to, PLAN_RULE_ENTRY, false);
	arm_ret(to);
	arm_mark(to, PLAN_RULE_PUSHED, false);
	emit_slow(&block);
	if (block.has_far)
		emit_long(&block);
	return start;
}

/* Called with x16 = the function's index, in a trampoline's frame. */
static void emit_slow_enter(struct plan_blob *blob)
{
	struct plan_out to = {blob, true};

	planblob_align(blob, true, PLAN_ALIGN);
	blob->slow_enter = arm_here(to);
	arm_mark(to, PLAN_RULE_ENTRY, false);
	arm_add_number(to, ARM_X0, ARM_SP, ARM_FRAME_BYTES);
	arm_vector(to, ARM_X17, ARM_VECTOR(slow_enter));
	arm_br(to, ARM_X17);
}

/* Called with x16 = the function's index, x17 = the thread's state, whose last is the time: the
 * record of an entry with an absolute time.  x0 = cursor after it. */
static void emit_long_enter(struct plan_blob *blob)
{
	struct plan_out to = {blob, true};

	planblob_align(blob, true, PLAN_ALIGN);
	blob->long_enter = arm_here(to);
	arm_mark(to, PLAN_RULE_ENTRY, false);
	arm_vector(to, ARM_X0, ARM_VECTOR(first_id_head));
	arm_add_shifted(to, ARM_X0, ARM_X0, ARM_X16, PATCH_ENTER_ID_SHIFT);
	arm_add_number(to, ARM_X16, ARM_SP, ARM_FRAME_BYTES);
	arm_bits(to, ARM_X16, ARM_X16, PATCH_SLOT_SHIFT, 10);
	arm_add_shifted(to, ARM_X0, ARM_X0, ARM_X16, PATCH_ENTER_SLOT_SHIFT);
	arm_add_number(to, ARM_X0, ARM_X0, 1023);
	arm_ldr(to, ARM_X1, ARM_X17, ARM_HOT(cursor));
	arm_str(to, ARM_X0, ARM_X1, 0);
	arm_ldr(to, ARM_X0, ARM_X17, ARM_HOT(last));
	arm_stur(to, ARM_X0, ARM_X1, PATCH_ENTER_BYTES);
	arm_add_number(to, ARM_X0, ARM_X1, PATCH_ENTER_BYTES + PATCH_TIME_BYTES);
	arm_ret(to);
}

void armshared_emit(struct plan_blob *blob)
{
	size_t start = blob->hot.size, first = blob->mark_count;

	emit_slow_enter(blob);
	if (blob->cost != PATCH_COST_COUNTS)
		emit_long_enter(blob);
	blob->exit_return[0] = blob->exit_return[1] = planshared_emit_exit(blob, 0);
	blob->exit_jump[0] = blob->exit_jump[1] = planshared_emit_exit(blob, ARM_JUMP_BYTES);
	planblob_extent(blob, start, first, PLAN_SHARED_CODE);
	planblob_align(blob, true, PLAN_ALIGN);
}
