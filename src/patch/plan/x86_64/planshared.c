/* What all trampolines of a plan share: the record of an exit, which does not contain the function,
 * and slow paths. */
#include "patch/plan/x86_64/planshared.h"

#include <stddef.h>

#include "patch/plan/x86_64/planarithmetic.h"
#include "patch/plan/x86_64/planpieces.h"

#define EXIT_LONG	((1u << PATCH_EXIT_TICKS_BITS) - 1)
/* slot is bits 3-12 of an address, so bits 14-23 of it shifted by this much. */
#define EXIT_SLOT_MASK	((uint32_t)PATCH_SLOT_MASK << PATCH_SLOT_SHIFT)
#define EXIT_SLOT_SHIFT (PATCH_EXIT_SLOT_SHIFT - PATCH_SLOT_SHIFT)
#define ENTER_SLOT_MASK ((uint32_t)PATCH_SLOT_MASK << PATCH_ENTER_SLOT_SHIFT)
#define ENTER_LONG	(((1u << PATCH_ENTER_TICKS_BITS) - 1) << 1 | 1)

_Static_assert(EXIT_SLOT_SHIFT == 11 && PATCH_EXIT_TICKS_SHIFT == 2, "as the code below has it");

struct exit_block {
	struct plan_out hot, cold;
	int8_t slot; /* offset of the return address from the stack pointer */
	bool keeps_flags;
	enum plan_rule rule;
	size_t slow[3], slow_count; /* branches to the cold part */
	size_t far;
	size_t commit, restore; /* where it continues */
};

static void planshared_branch_slow(struct exit_block *block, struct plan_out from,
				   uint8_t condition)
{
	asm_branch(from, condition, PLAN_TO_COLD, 0);
	block->slow[block->slow_count++] = block->hot.blob->link_count - 1;
}

/* edx = bits 14-23: the slot */
static void emit_exit_slot(struct plan_out to, int8_t slot)
{
	/* lea edx, [rsp + slot]; and edx, mask; shl edx, 11 */
	ASM_BYTES(to, 0x8d, 0x54, 0x24, (uint8_t)slot, 0x81, 0xe2, EXIT_SLOT_MASK & 0xff,
		  EXIT_SLOT_MASK >> 8, 0, 0, 0xc1, 0xe2, EXIT_SLOT_SHIFT);
}

/* COARSE */
static void emit_exit_marked(struct exit_block *block)
{
	struct plan_out to = block->hot;
	struct emit_reserved links = emit_reserve(to, PATCH_MARKED_EXIT_BYTES, block->slot);

	block->slow[block->slow_count++] = links.is_late;
	block->slow[block->slow_count++] = links.is_full;
	ASM_BYTES(to, 0x83, 0xc9, 0x02, 0x66, 0x89, 0x08); /* or ecx, 2; mov [rax], cx */
	emit_wait(to);
	block->restore = asm_here(to);
	asm_stack(to, ASM_LOAD, ASM_RCX, SAVED_RCX);
}

/* FULL */
static void emit_exit_record(struct exit_block *block)
{
	struct plan_out to = block->hot;

	emit_wait(to);
	emit_save(to);
	asm_vector(to, ASM_LOAD, ASM_RCX, VECTOR(thread_offset));
	asm_thread_compare(to, HOT(state), PATCH_STATE_READY);
	planshared_branch_slow(block, block->hot, ASM_NOT_EQUAL);
	asm_thread(to, ASM_STORE, ASM_RSP, ASM_RCX, HOT(state));
	emit_time(to);
	asm_compare_rax(to, EXIT_LONG);
	asm_branch(to, ASM_ABOVE_EQUAL, PLAN_TO_COLD, 0);
	block->far = to.blob->link_count - 1;
	emit_exit_slot(to, block->slot);
	ASM_BYTES(to, 0x8d, 0x44, 0x82, 0x02); /* lea eax, [rdx + rax * 4 + 2] */
	asm_thread(to, ASM_LOAD, ASM_RDX, ASM_RCX, HOT(cursor));
	ASM_BYTES(to, 0x89, 0x02);			   /* mov [rdx], eax */
	ASM_BYTES(to, 0x48, 0x83, 0xc2, PATCH_EXIT_BYTES); /* add rdx, 3 */
	block->commit = asm_here(to);
	asm_thread(to, ASM_STORE, ASM_RDX, ASM_RCX, HOT(cursor));
	asm_thread(to, ASM_CMP, ASM_RDX, ASM_RCX, HOT(limit));
	planshared_branch_slow(block, block->hot, ASM_ABOVE_EQUAL);
	asm_thread_set(to, HOT(state), PATCH_STATE_READY);
	emit_wait(to);
	block->restore = asm_here(to);
	emit_restore(to);
}

/* A record with an absolute time: rdx.  rax = ticks since the latest one. */
static void emit_exit_long(struct exit_block *block)
{
	struct plan_out to = block->cold;

	planblob_align(to.blob, true, PLAN_ALIGN);
	asm_land(to, block->far);
	planblob_mark(to.blob, true, block->rule, 0);
	asm_compare_rax(to, PATCH_PAUSE_TICKS);
	planshared_branch_slow(block, to, ASM_ABOVE_EQUAL);
	asm_thread(to, ASM_LOAD, ASM_RAX, ASM_RCX, HOT(cursor));
	ASM_BYTES(to, 0x48, 0x89, 0x50, PATCH_EXIT_BYTES); /* mov [rax + 3], rdx */
	emit_exit_slot(to, block->slot);
	/* or edx, all ones and 2; mov [rax], dx; shr edx, 16; mov [rax + 2], dl */
	ASM_BYTES(to, 0x81, 0xca, (EXIT_LONG << 2 | 2) & 0xff, (EXIT_LONG << 2 | 2) >> 8, 0, 0,
		  0x66, 0x89, 0x10, 0xc1, 0xea, 16, 0x88, 0x50, 0x02);
	/* lea rdx, [rax + 11] */
	ASM_BYTES(to, 0x48, 0x8d, 0x50, PATCH_EXIT_BYTES + PATCH_TIME_BYTES);
	asm_jump(to, PLAN_TO_HOT, block->commit);
}

static void emit_exit_slow(struct exit_block *block)
{
	struct plan_out to = block->cold;
	bool is_marked = to.blob->cost == PATCH_COST_COARSE;

	planblob_align(to.blob, true, PLAN_ALIGN);
	for (size_t i = 0; i < block->slow_count; i++)
		asm_land(to, block->slow[i]);
	planblob_mark(to.blob, true, block->rule, 0);
	if (is_marked)
		asm_stack(to, ASM_STORE, ASM_RDX, SAVED_RDX);
	emit_slow_call(to, block->slot, VECTOR(slow_exit), block->rule);
	if (is_marked)
		asm_stack(to, ASM_LOAD, ASM_RDX, SAVED_RDX);
	asm_jump(to, PLAN_TO_HOT, block->restore);
}

/* Is the call that ends here a timed one?  rcx = thread_offset. */
static void emit_compare_timed(struct exit_block *block)
{
	struct plan_out to = block->hot;

	asm_stack(to, ASM_STORE, ASM_RCX, SAVED_RCX);
	asm_vector(to, ASM_LOAD, ASM_RCX, VECTOR(thread_offset));
	if (block->slot == 0) {
		asm_thread(to, ASM_CMP, ASM_RSP, ASM_RCX, HOT(timed));
		return;
	}
	asm_stack(to, ASM_STORE, ASM_RDX, SAVED_RDX);
	asm_stack(to, ASM_LEA, ASM_RDX, block->slot);
	asm_thread(to, ASM_CMP, ASM_RDX, ASM_RCX, HOT(timed));
	asm_stack(to, ASM_LOAD, ASM_RDX, SAVED_RDX);
}

/* COUNTS: only the end of a timed call matters. */
static void emit_exit_timed(struct exit_block *block)
{
	struct plan_out to = block->hot;

	emit_compare_timed(block);
	planshared_branch_slow(block, block->hot, ASM_EQUAL);
	block->restore = asm_here(to);
	asm_stack(to, ASM_LOAD, ASM_RCX, SAVED_RCX);
	to = block->cold;
	planblob_align(to.blob, true, PLAN_ALIGN);
	asm_land(to, block->slow[0]);
	planblob_mark(to.blob, true, block->rule, 0);
	/* A file that was rewritten may run without its collector. */
	asm_vector_compare(to, VECTOR(slow_exit));
	asm_branch(to, ASM_EQUAL, PLAN_TO_HOT, block->restore);
	asm_stack(to, ASM_STORE, ASM_RDX, SAVED_RDX);
	if (!block->keeps_flags)
		asm_stack(to, ASM_STORE, ASM_RAX, SAVED_RAX);
	emit_slow_call(to, block->slot, VECTOR(slow_exit), block->rule);
	asm_stack(to, ASM_LOAD, ASM_RDX, SAVED_RDX);
	if (!block->keeps_flags)
		asm_stack(to, ASM_LOAD, ASM_RAX, SAVED_RAX);
	asm_jump(to, PLAN_TO_HOT, block->restore);
}

/* COARSE and FULL.  With keeps_flags rax is saved before, and restored after. */
static void emit_exit_recorded(struct exit_block *block)
{
	struct plan_out to = block->hot;
	size_t off;

	asm_switch_compare(to);
	off = asm_branch_ahead(to, ASM_NOT_EQUAL);
	if (!block->keeps_flags)
		emit_save_rax(to, false);
	if (to.blob->cost == PATCH_COST_COARSE) {
		emit_exit_marked(block);
	} else {
		emit_exit_record(block);
		emit_exit_long(block);
	}
	emit_exit_slow(block);
	if (!block->keeps_flags)
		emit_restore_rax(to, false);
	asm_land(to, off);
}

/* All of it except the instruction that leaves. */
static void planshared_emit_exit(struct exit_block *block)
{
	struct plan_out to = block->hot;

	planblob_align(to.blob, false, PLAN_ALIGN);
	planblob_mark(to.blob, false, block->rule, 0);
	if (block->keeps_flags)
		emit_save_rax(to, true);
	if (to.blob->cost == PATCH_COST_COUNTS)
		emit_exit_timed(block);
	else
		emit_exit_recorded(block);
	if (block->keeps_flags)
		emit_restore_rax(to, true);
}

static void emit_exit_return(struct plan_blob *blob, bool keeps_flags)
{
	struct exit_block block = {.hot = {blob, false},
				   .cold = {blob, true},
				   .slot = 0,
				   .keeps_flags = keeps_flags,
				   .rule = PLAN_RULE_ENTRY};

	planblob_align(blob, false, PLAN_ALIGN);
	blob->exit_return[keeps_flags] = (uint32_t)blob->hot.size;
	planshared_emit_exit(&block);
	ASM_BYTES(block.hot, 0xc3);
}

/* Called: the function's return address is above that of this call. */
static void emit_exit_jump(struct plan_blob *blob, bool keeps_flags)
{
	struct exit_block block = {.hot = {blob, false},
				   .cold = {blob, true},
				   .slot = 8,
				   .keeps_flags = keeps_flags,
				   .rule = PLAN_RULE_ENTRY};

	planblob_align(blob, false, PLAN_ALIGN);
	blob->exit_jump[keeps_flags] = (uint32_t)blob->hot.size;
	planshared_emit_exit(&block);
	ASM_BYTES(block.hot, 0xc3);
}

/* The function returned to its trampoline: its return address is in its shadow slot.  Timed calls
 * are few, and it is not known of all functions whether their flags are read. */
static void emit_exit_called(struct plan_blob *blob)
{
	struct exit_block block = {.hot = {blob, false},
				   .cold = {blob, true},
				   .slot = -8,
				   .keeps_flags = blob->cost == PATCH_COST_COUNTS,
				   .rule = PLAN_RULE_CALLED};
	struct plan_out to = block.hot;

	planblob_align(blob, false, PLAN_ALIGN);
	blob->exit_called = (uint32_t)blob->hot.size;
	planshared_emit_exit(&block);
	asm_stack(to, ASM_STORE, ASM_RDX, SAVED_RDX);
	/* Stacks that have shadow slots have that bit set.  mov rdx, [rsp + rdx - 8] */
	asm_value_long(to, ASM_RDX, -(UINT64_C(1) << PATCH_SHADOW_BIT));
	ASM_BYTES(to, 0x48, 0x8b, 0x54, 0x14, 0xf8);
	asm_stack(to, ASM_STORE, ASM_RDX, -8);
	asm_stack(to, ASM_LOAD, ASM_RDX, SAVED_RDX);
	asm_step(to, -8);
	planblob_mark(blob, false, PLAN_RULE_ENTRY, 0);
	ASM_BYTES(to, 0xc3);
}

/* Called with eax = the function's index: the slow routine for entries.  It saves the return
 * address of this call, which is below the function's. */
static void emit_slow_enter(struct plan_blob *blob)
{
	struct plan_out to = {blob, true};
	bool is_counts = blob->cost == PATCH_COST_COUNTS;
	bool saves_rdx = blob->cost != PATCH_COST_FULL;

	planblob_align(blob, true, PLAN_ALIGN);
	blob->slow_enter = (uint32_t)blob->cold.size;
	planblob_mark(blob, true, PLAN_RULE_ENTRY, 0);
	if (saves_rdx)
		asm_stack(to, ASM_STORE, ASM_RDX, SAVED_RDX + 8);
	if (is_counts) {
		asm_stack(to, ASM_STORE, ASM_RCX, SAVED_RCX + 8);
		asm_vector(to, ASM_LOAD, ASM_RCX, VECTOR(thread_offset));
	}
	emit_slow_call(to, 8, VECTOR(slow_enter), PLAN_RULE_ENTRY);
	if (saves_rdx)
		asm_stack(to, ASM_LOAD, ASM_RDX, SAVED_RDX + 8);
	if (is_counts)
		asm_stack(to, ASM_LOAD, ASM_RCX, SAVED_RCX + 8);
	ASM_BYTES(to, 0xc3);
}

/* Called with eax = the function's index, rdx = the time, rcx = thread_offset: the record of an
 * entry with an absolute time.  rdx = cursor after it. */
static void emit_long_enter(struct plan_blob *blob)
{
	struct plan_out to = {blob, true};

	planblob_align(blob, true, PLAN_ALIGN);
	blob->long_enter = (uint32_t)blob->cold.size;
	planblob_mark(blob, true, PLAN_RULE_ENTRY, 0);
	asm_stack(to, ASM_STORE, ASM_RDX, SAVED_TIME);
	ASM_BYTES(to, 0x48, 0xc1, 0xe0, PATCH_ENTER_ID_SHIFT); /* shl rax, 20 */
	asm_vector(to, ASM_ADD, ASM_RAX, VECTOR(first_id_head));
	/* lea edx, [rsp + 8]; shl edx, 7; and edx, mask; lea rax, [rax + rdx + all ones] */
	ASM_BYTES(to, 0x8d, 0x54, 0x24, 8, 0xc1, 0xe2, PATCH_ENTER_SLOT_SHIFT - PATCH_SLOT_SHIFT,
		  0x81, 0xe2, 0, (ENTER_SLOT_MASK >> 8) & 0xff, (ENTER_SLOT_MASK >> 16) & 0xff, 0,
		  0x48, 0x8d, 0x84, 0x10, ENTER_LONG & 0xff, ENTER_LONG >> 8, 0, 0);
	asm_thread(to, ASM_LOAD, ASM_RDX, ASM_RCX, HOT(cursor));
	ASM_BYTES(to, 0x48, 0x89, 0x02); /* mov [rdx], rax */
	asm_stack(to, ASM_LOAD, ASM_RAX, SAVED_TIME);
	ASM_BYTES(to, 0x48, 0x89, 0x42, PATCH_ENTER_BYTES); /* mov [rdx + 5], rax */
	/* add rdx, 13; ret */
	ASM_BYTES(to, 0x48, 0x83, 0xc2, PATCH_ENTER_BYTES + PATCH_TIME_BYTES, 0xc3);
}

/* Called with rax = an address 8 beyond a multiple of 16, in code: is it a return point? */
static void emit_is_return_point(struct plan_blob *blob)
{
	struct plan_out to = {blob, true};

	planblob_align(blob, true, PLAN_ALIGN);
	blob->is_return_point = (uint32_t)blob->cold.size;
	planblob_mark(blob, true, PLAN_RULE_ENTRY, 0);
	asm_value_long(to, ASM_RDX, RETURN_POINT_NOP);
	ASM_BYTES(to, 0x48, 0x39, 0x10, 0xc3); /* cmp [rax], rdx; ret */
}

void planemit_shared(struct plan_blob *blob)
{
	size_t start = blob->hot.size, first = blob->mark_count;

	for (unsigned keeps_flags = 0; keeps_flags < 2; keeps_flags++) {
		emit_exit_return(blob, keeps_flags);
		emit_exit_jump(blob, keeps_flags);
	}
	emit_exit_called(blob);
	planblob_extent(blob, start, first, PLAN_SHARED_CODE);
	emit_slow_enter(blob);
	if (blob->cost == PATCH_COST_FULL)
		emit_long_enter(blob);
	emit_is_return_point(blob);
	planblob_align(blob, true, PLAN_ALIGN);
	planblob_mark(blob, true, PLAN_RULE_ENTRY, 0); /* from here on: the functions' */
}
