/* The trampolines of one function of AArch64: its entry with the displaced instruction, and its
 * exits. */
#include "patch/plan/aarch64/planemit.h"

#include <elf.h>
#include <stddef.h>

#include "patch/analyse/aarch64/patchdecide.h"
#include "patch/analyse/aarch64/patchsweep.h"
#include "patch/analyse/patchprocessor.h"
#include "patch/plan/aarch64/planarithmetic.h"
#include "patch/plan/aarch64/planframes.h"
#include "patch/plan/aarch64/planleave.h"
#include "patch/plan/aarch64/planlink.h"
#include "patch/plan/aarch64/planpieces.h"
#include "patch/plan/aarch64/planshared.h"

struct entry { /* of a job, while its trampoline is made */
	struct plan_job *job;
	size_t off;	     /* links: recording is off */
	size_t slow[2], far; /* … to the stubs after the body */
	unsigned slow_count;
	bool has_far;
	uint32_t commit, restore; /* where the cold part continues */
};

static void planemit_branch_slow(struct entry *entry, size_t link)
{
	entry->slow[entry->slow_count++] = link;
}

/* x1 = ticks -> x1 = the record.  x16 is free. */
static void emit_head(struct entry *entry)
{
	struct plan_out to = entry->job->hot;

	arm_shift_left(to, ARM_X1, ARM_X1, 1);
	arm_word(to, 0xb2400021); /* orr x1, x1, #1 */
	arm_add_number(to, ARM_X0, ARM_SP, ARM_FRAME_BYTES);
	arm_shift_right(to, ARM_X0, ARM_X0, PATCH_SLOT_SHIFT);
	arm_insert(to, ARM_X1, ARM_X0, PATCH_ENTER_SLOT_SHIFT,
		   PATCH_ENTER_ID_SHIFT - PATCH_ENTER_SLOT_SHIFT);
	arm_vector(to, ARM_X0, ARM_VECTOR(first_id_head));
	arm_add(to, ARM_X1, ARM_X1, ARM_X0);
	arm_value(to, ARM_X0, entry->job->index);
	arm_add_shifted(to, ARM_X1, ARM_X1, ARM_X0, PATCH_ENTER_ID_SHIFT);
}

/* COARSE and FULL */
static void planemit_emit_record(struct entry *entry)
{
	struct plan_out to = entry->job->hot;

	arm_stp(to, ARM_X0, ARM_X1, ARM_FRAME_X0);
	arm_thread(to);
	arm_ldr(to, ARM_X0, ARM_X17, ARM_HOT(state));
	planemit_branch_slow(entry, arm_cbnz(to, ARM_X0, PLAN_TO_HOT, 0));
	arm_add_number(to, ARM_X0, ARM_SP, ARM_FRAME_BYTES);
	arm_str(to, ARM_X0, ARM_X17, ARM_HOT(state));
	arm_time(to);
	arm_add_number(to, ARM_X0, ARM_X1, 1);
	arm_shift_right(to, ARM_X0, ARM_X0, PATCH_ENTER_TICKS_BITS);
	entry->far = arm_cbnz(to, ARM_X0, PLAN_TO_HOT, 0);
	entry->has_far = true;
	emit_head(entry);
	arm_ldr(to, ARM_X0, ARM_X17, ARM_HOT(cursor));
	arm_str(to, ARM_X1, ARM_X0, 0);
	arm_add_number(to, ARM_X0, ARM_X0, PATCH_ENTER_BYTES);
	entry->commit = arm_here(to);
	planemit_branch_slow(entry, arm_commit(to));
}

/* COUNTS.  A handler that counts between the load and the store makes the store fail. */
static void planemit_emit_count(struct entry *entry)
{
	struct plan_out to = entry->job->hot;
	uint32_t again;

	arm_stp(to, ARM_X0, ARM_X1, ARM_FRAME_X0);
	arm_thread(to);
	arm_ldr(to, ARM_X17, ARM_X17, ARM_HOT(left));
	planemit_branch_slow(entry, arm_cbz(to, ARM_X17, PLAN_TO_HOT, 0));
	arm_vector(to, ARM_X16, ARM_VECTOR(first_id_left));
	arm_add(to, ARM_X17, ARM_X17, ARM_X16);
	arm_value(to, ARM_X16, entry->job->index);
	arm_add_shifted(to, ARM_X17, ARM_X17, ARM_X16, 2);
	again = arm_here(to);
	arm_word(to, 0x885f7e20); /* ldxr w0, [x17] */
	arm_sub32_number(to, ARM_X16, ARM_X0, 1);
	arm_word(to, 0x88017e30);				      /* stxr w1, w16, [x17] */
	arm_link(to, 0x35000001, PLAN_FORM_NEAR, PLAN_TO_HOT, again); /* cbnz w1, again */
	planemit_branch_slow(entry,
			     arm_link(to, 0x34000000, PLAN_FORM_NEAR, PLAN_TO_HOT, 0)); /* cbz w0 */
}

/* Stubs after the body, within reach of conditional branches, and their targets. */
static void emit_cold(struct entry *entry)
{
	struct plan_out hot = entry->job->hot, cold = entry->job->cold;

	arm_mark(hot, PLAN_RULE_PUSHED, entry->job->is_signed);
	for (unsigned i = 0; i < entry->slow_count; i++)
		arm_land(hot, entry->slow[i]);
	arm_b(hot, PLAN_TO_COLD, arm_here(cold));
	arm_mark(cold, PLAN_RULE_PUSHED, entry->job->is_signed);
	arm_str(cold, ARM_LINK, ARM_SP, ARM_FRAME_LINK);
	arm_mark(cold, PLAN_RULE_PUSHED_LINK, entry->job->is_signed);
	arm_value(cold, ARM_X16, entry->job->index);
	arm_bl(cold, PLAN_TO_COLD, cold.blob->slow_enter);
	arm_ldr(cold, ARM_LINK, ARM_SP, ARM_FRAME_LINK);
	arm_mark(cold, PLAN_RULE_PUSHED, entry->job->is_signed);
	arm_b(cold, PLAN_TO_HOT, entry->restore);
	if (!entry->has_far)
		return;
	arm_land(hot, entry->far);
	arm_b(hot, PLAN_TO_COLD, arm_here(cold));
	arm_str(cold, ARM_LINK, ARM_SP, ARM_FRAME_LINK);
	arm_mark(cold, PLAN_RULE_PUSHED_LINK, entry->job->is_signed);
	arm_value(cold, ARM_X16, entry->job->index);
	arm_bl(cold, PLAN_TO_COLD, cold.blob->long_enter);
	arm_ldr(cold, ARM_LINK, ARM_SP, ARM_FRAME_LINK);
	arm_mark(cold, PLAN_RULE_PUSHED, entry->job->is_signed);
	arm_b(cold, PLAN_TO_HOT, entry->commit);
}

/* The code before the body.  The switch is checked first of all. */
static void emit_enter(struct entry *entry)
{
	struct plan_out to = entry->job->hot;

	arm_mark(to, PLAN_RULE_ENTRY, entry->job->is_signed);
	arm_push(to, ARM_X16, ARM_X17, ARM_FRAME_BYTES);
	arm_mark(to, PLAN_RULE_PUSHED, entry->job->is_signed);
	arm_adrp(to, ARM_X16, PLAN_TO_SWITCH, 0);
	arm_ldrb(to, ARM_X16, ARM_X16, 0);
	entry->off = arm_cbnz(to, ARM_X16, PLAN_TO_HOT, 0);
	if (to.blob->cost == PATCH_COST_COUNTS)
		planemit_emit_count(entry);
	else
		planemit_emit_record(entry);
	entry->restore = arm_here(to);
	arm_ldp(to, ARM_X0, ARM_X1, ARM_FRAME_X0);
	arm_land(to, entry->off);
	arm_pop(to, ARM_X16, ARM_X17, ARM_FRAME_BYTES);
	arm_mark(to, PLAN_RULE_ENTRY, entry->job->is_signed);
}

/* The landing pad instruction of the function signs the return address. */
static bool is_signed_at_entry(const struct plan_job *job)
{
	struct arm_code code;

	return job->function->entry.at != job->function->address &&
	       armsweep_code(job->module, job->function->address, &code) &&
	       armcode_signs(code.word);
}

static bool emit_entry(struct plan_job *job)
{
	struct plan_out to = job->hot;
	struct entry entry = {.job = job};
	uint32_t start = arm_here(to);
	bool falls_through;

	emit_enter(&entry);
	job->body = arm_here(to);
	if (!armleave_displaced(job, job->function->entry.at, &falls_through))
		return false;
	if (falls_through)
		arm_b(to, PLAN_TO_FILE, job->function->entry.at + ARM_BYTES);
	emit_cold(&entry);
	job->code->jumps[job->code->jump_count++] =
		(struct plan_jump){job->function->entry.at, 0, start};
	return true;
}

bool armemit_function(struct plan_job *job, bool *is_entry_out)
{
	job->is_signed = is_signed_at_entry(job);
	*is_entry_out = job->way == PLAN_WAY_CALL || !emit_entry(job);
	return !*is_entry_out && armleave_exits(job);
}

const struct patch_processor patchprocessor_aarch64 = {
	.machine = EM_AARCH64,
	.sweep = armsweep_run,
	.superset = armsweep_superset,
	.is_entry = armsweep_is_entry,
	.decide = armdecide,
	.stub = armsweep_stub,
	.relocations = {R_AARCH64_GLOB_DAT, R_AARCH64_JUMP_SLOT, R_AARCH64_ABS64},
	.emit_shared = armshared_emit,
	.emit_function = armemit_function,
	.link = armlink_set,
	.frames_common = armframes_common,
	.frames_common_size = &armframes_common_size,
	.emit_frames = armframes_emit,
	.jump = armlink_jump,
	.jump_bytes = ARM_BYTES,
	/* Jumps reach 128 MiB. */
	.library_gap = UINT64_C(64) << 20,
};
