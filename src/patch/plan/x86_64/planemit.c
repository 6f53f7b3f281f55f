/* The trampolines of one function: its entry with the displaced instructions, and its exits. */
#include "patch/plan/planemit.h"

#include <stddef.h>

#include "patch/plan/x86_64/planarithmetic.h"
#include "patch/plan/x86_64/planleave.h"
#include "patch/plan/x86_64/planpieces.h"

#define ENTER_LONG ((1u << PATCH_ENTER_TICKS_BITS) - 1)

struct entry { /* of a job, while its trampoline is made */
	struct plan_job *job;
	bool keeps_flags;
	size_t slow[3], slow_count; /* links to the cold part */
	size_t far;
	bool has_far;
	size_t commit;	/* offsets: the record is written */
	size_t restore; /* continues in the function */
	/* Call-through: where it begins; where the shadow slot is written, and after that. */
	size_t through, write, written;
	size_t below, check, call; /* its links: to restore, to the cold part, to body */
};

static void planemit_branch_slow(struct entry *entry, uint8_t condition)
{
	asm_branch(entry->job->hot, condition, PLAN_TO_COLD, 0);
	entry->slow[entry->slow_count++] = entry->job->hot.blob->link_count - 1;
}

/* rax = ticks -> rax = the record */
static void emit_enter_head(struct entry *entry)
{
	struct plan_out to = entry->job->hot;
	uint64_t id = (uint64_t)entry->job->index << PATCH_ENTER_ID_SHIFT;

	/* mov edx, esp; shl edx, 7; and edx, mask; lea rax, [rdx + rax * 2 + 1] */
	ASM_BYTES(to, 0x89, 0xe2, 0xc1, 0xe2, PATCH_ENTER_SLOT_SHIFT - PATCH_SLOT_SHIFT, 0x81, 0xe2,
		  0, 0xfc, 0x0f, 0, 0x48, 0x8d, 0x44, 0x42, 0x01);
	asm_vector(to, ASM_ADD, ASM_RAX, VECTOR(first_id_head));
	if (id <= UINT32_MAX)
		asm_value(to, ASM_RDX, (uint32_t)id);
	else
		asm_value_long(to, ASM_RDX, id);
	ASM_BYTES(to, 0x48, 0x01, 0xd0); /* add rax, rdx */
}

/* COARSE */
static void emit_enter_marked(struct entry *entry)
{
	struct plan_out to = entry->job->hot;
	struct emit_reserved links = emit_reserve(to, PATCH_MARKED_ENTER_BYTES, 0);
	uint32_t id = entry->job->index << PATCH_MARKED_ID_SHIFT | 1;

	entry->slow[entry->slow_count++] = links.is_late;
	entry->slow[entry->slow_count++] = links.is_full;
	ASM_BYTES(to, 0x03, 0x0d); /* add ecx, [rip + first_id_head] */
	planblob_link(to.blob, to.is_cold, PLAN_TO_VECTOR, VECTOR(first_id_head), 4);
	ASM_BYTES(to, 0x81, 0xc1); /* add ecx, id */
	planblob_bytes(to.blob, to.is_cold, &id, sizeof(id));
	ASM_BYTES(to, 0x89, 0x08); /* mov [rax], ecx */
	emit_wait(to);
}

/* FULL */
static void emit_enter_record(struct entry *entry)
{
	struct plan_out to = entry->job->hot;

	emit_wait(to);
	emit_save(to);
	asm_vector(to, ASM_LOAD, ASM_RCX, VECTOR(thread_offset));
	asm_thread_compare(to, HOT(state), PATCH_STATE_READY);
	planemit_branch_slow(entry, ASM_NOT_EQUAL);
	asm_thread(to, ASM_STORE, ASM_RSP, ASM_RCX, HOT(state));
	emit_time(to);
	asm_compare_rax(to, ENTER_LONG);
	asm_branch(to, ASM_ABOVE_EQUAL, PLAN_TO_COLD, 0);
	entry->far = to.blob->link_count - 1;
	entry->has_far = true;
	emit_enter_head(entry);
	asm_thread(to, ASM_LOAD, ASM_RDX, ASM_RCX, HOT(cursor));
	ASM_BYTES(to, 0x48, 0x89, 0x02);		    /* mov [rdx], rax */
	ASM_BYTES(to, 0x48, 0x83, 0xc2, PATCH_ENTER_BYTES); /* add rdx, 5 */
	entry->commit = asm_here(to);
	asm_thread(to, ASM_STORE, ASM_RDX, ASM_RCX, HOT(cursor));
	asm_thread(to, ASM_CMP, ASM_RDX, ASM_RCX, HOT(limit));
	planemit_branch_slow(entry, ASM_ABOVE_EQUAL);
	asm_thread_set(to, HOT(state), PATCH_STATE_READY);
	emit_wait(to);
}

/* COUNTS */
static void emit_enter_count(struct entry *entry)
{
	struct plan_out to = entry->job->hot;
	uint32_t place = entry->job->index * 4;

	asm_vector(to, ASM_LOAD, ASM_RAX, VECTOR(thread_offset));
	asm_thread(to, ASM_LOAD, ASM_RAX, ASM_RAX, HOT(left));
	ASM_BYTES(to, 0x48, 0x85, 0xc0); /* test rax, rax */
	planemit_branch_slow(entry, ASM_EQUAL);
	asm_vector(to, ASM_ADD, ASM_RAX, VECTOR(first_id_left));
	ASM_BYTES(to, 0x83, 0xa8); /* sub dword ptr [rax + place], 1 */
	planblob_bytes(to.blob, false, &place, sizeof(place));
	ASM_BYTES(to, 1);
	planemit_branch_slow(entry, ASM_BELOW);
}

static void emit_nops(struct plan_out to, size_t count)
{
	static const uint8_t nops[8][8] = {
		{0x90},
		{0x66, 0x90},
		{0x0f, 0x1f, 0x00},
		{0x0f, 0x1f, 0x40, 0x00},
		{0x0f, 0x1f, 0x44, 0x00, 0x00},
		{0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00},
		{0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00},
		{0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00},
	};

	for (size_t some; count > 0; count -= some) {
		some = count < 8 ? count : 8;
		planblob_bytes(to.blob, to.is_cold, nops[some - 1], some);
	}
}

/* Call the body so that it finds the return point in place of its return address. */
static void emit_body_call(struct entry *entry)
{
	struct plan_out to = entry->job->hot;
	const uint64_t nop = RETURN_POINT_NOP;
	const size_t step_and_call = 10;

	emit_nops(to, (RETURN_POINT_REMAINDER - step_and_call - asm_here(to)) % 16);
	asm_step(to, 8);
	planblob_mark(to.blob, false, PLAN_RULE_CALLED, 0);
	ASM_BYTES(to, 0xe8);
	planblob_link(to.blob, false, PLAN_TO_HOT, 0, 4);
	entry->call = to.blob->link_count - 1;
	planblob_bytes(to.blob, false, &nop, sizeof(nop));
	asm_jump(to, PLAN_TO_HOT, to.blob->exit_called);
}

/* The return address goes to its shadow slot, unless it is a return point itself: then this
 * function's caller ended in a jump to it, and the shadow slot is already correct. */
static void emit_through(struct entry *entry)
{
	struct plan_out to = entry->job->hot;

	planblob_mark(to.blob, false, PLAN_RULE_ENTRY, 0);
	entry->through = asm_here(to);
	asm_vector(to, ASM_CMP, ASM_RSP, VECTOR(shadow_start));
	entry->below = asm_branch_ahead(to, ASM_BELOW);
	if (to.blob->cost == PATCH_COST_COUNTS)
		emit_save(to);
	else if (to.blob->cost == PATCH_COST_COARSE)
		asm_stack(to, ASM_STORE, ASM_RDX, SAVED_RDX);
	asm_stack(to, ASM_LOAD, ASM_RAX, 0);
	/* lea edx, [rax - 8]; test dl, 15 */
	ASM_BYTES(to, 0x8d, 0x50, (uint8_t)-RETURN_POINT_REMAINDER, 0xf6, 0xc2, 15);
	asm_branch(to, ASM_EQUAL, PLAN_TO_COLD, 0);
	entry->check = to.blob->link_count - 1;
	entry->write = asm_here(to);
	/* mov rdx, rsp; btc rdx, 46; mov [rdx], rax */
	ASM_BYTES(to, 0x48, 0x89, 0xe2, 0x48, 0x0f, 0xba, 0xfa, PATCH_SHADOW_BIT, 0x48, 0x89, 0x02);
	entry->written = asm_here(to);
	emit_restore(to);
	emit_restore_rax(to, entry->keeps_flags);
	emit_body_call(entry);
	planblob_mark(to.blob, false, PLAN_RULE_ENTRY, 0);
}

static void set_link(struct plan_out to, size_t link, size_t target)
{
	if (!to.blob->is_failed)
		to.blob->links[link].target = target;
}

static void emit_cold(struct entry *entry)
{
	struct plan_out to = entry->job->cold;
	struct plan_blob *blob = to.blob;
	size_t slow = asm_here(to);

	for (size_t i = 0; i < entry->slow_count; i++)
		set_link(to, entry->slow[i], slow);
	asm_value(to, ASM_RAX, entry->job->index);
	asm_call(to, PLAN_TO_COLD, blob->slow_enter);
	if (entry->job->way == PLAN_WAY_CALL) {
		ASM_BYTES(to, 0x85, 0xc0); /* test eax, eax */
		asm_branch(to, ASM_NOT_EQUAL, PLAN_TO_HOT, entry->through);
	}
	asm_jump(to, PLAN_TO_HOT, entry->restore);
	if (entry->has_far) {
		set_link(to, entry->far, asm_here(to));
		asm_compare_rax(to, PATCH_PAUSE_TICKS);
		asm_branch(to, ASM_ABOVE_EQUAL, PLAN_TO_COLD, slow);
		asm_value(to, ASM_RAX, entry->job->index);
		asm_call(to, PLAN_TO_COLD, blob->long_enter);
		asm_jump(to, PLAN_TO_HOT, entry->commit);
	}
	if (entry->job->way != PLAN_WAY_CALL)
		return;
	set_link(to, entry->below, entry->restore);
	set_link(to, entry->call, entry->job->body);
	set_link(to, entry->check, asm_here(to));
	asm_call(to, PLAN_TO_COLD, blob->is_return_point);
	asm_branch(to, ASM_EQUAL, PLAN_TO_HOT, entry->written);
	asm_jump(to, PLAN_TO_HOT, entry->write);
}

static bool emit_body(struct plan_job *job)
{
	const struct patch_entry *at = &job->function->entry;
	uint64_t behind = at->at + at->displaced;
	uint64_t end = at->at + (at->way == PATCH_ENTRY_CAVE ? 2 : JUMP_BYTES);

	if (at->way != PATCH_ENTRY_HOOK &&
	    !emit_displaced(job, at->at, behind, end > behind ? end : behind))
		return false;
	planblob_mark(job->hot.blob, false, PLAN_RULE_FILE, at->ends ? at->at : behind);
	if (!at->ends)
		asm_jump(job->hot, PLAN_TO_FILE, behind);
	return true;
}

/* The code before the body.  The switch is checked first of all. */
static void emit_enter(struct entry *entry)
{
	struct plan_out to = entry->job->hot;
	bool is_counts = to.blob->cost == PATCH_COST_COUNTS;
	bool is_marked = to.blob->cost == PATCH_COST_COARSE;
	bool keeps_flags = entry->keeps_flags;
	size_t off;

	if (keeps_flags)
		emit_save_rax(to, true);
	asm_switch_compare(to);
	off = asm_branch_ahead(to, ASM_NOT_EQUAL);
	if (!keeps_flags)
		emit_save_rax(to, false);
	if (is_counts)
		emit_enter_count(entry);
	else if (is_marked)
		emit_enter_marked(entry);
	else
		emit_enter_record(entry);
	if (entry->job->way == PLAN_WAY_CALL && !is_counts)
		emit_through(entry);
	entry->restore = asm_here(to);
	if (is_marked)
		asm_stack(to, ASM_LOAD, ASM_RCX, SAVED_RCX);
	else if (!is_counts)
		emit_restore(to);
	if (keeps_flags)
		asm_land(to, off);
	emit_restore_rax(to, keeps_flags);
	if (!keeps_flags)
		asm_land(to, off);
}

static bool emit_entry(struct plan_job *job)
{
	struct plan_out to = job->hot;
	struct entry entry = {.job = job, .keeps_flags = job->function->entry.keeps_flags};
	uint32_t start;

	planblob_align(to.blob, false, PLAN_ALIGN);
	start = (uint32_t)asm_here(to);
	planblob_mark(to.blob, false, PLAN_RULE_ENTRY, 0);
	emit_enter(&entry);
	job->body = asm_here(to);
	job->code->body = (uint32_t)job->body;
	if (!emit_body(job))
		return false;
	if (job->way == PLAN_WAY_CALL && to.blob->cost == PATCH_COST_COUNTS)
		emit_through(&entry);
	emit_cold(&entry);
	job->code->jumps[job->code->jump_count++] = (struct plan_jump){
		job->function->entry.at,
		job->function->entry.way == PATCH_ENTRY_CAVE ? job->function->entry.cave : 0,
		start};
	return true;
}

bool planemit_function(struct plan_job *job, bool *is_entry_out)
{
	*is_entry_out = !emit_entry(job);
	if (*is_entry_out || !emit_exits(job))
		return false;
	emit_nop(job);
	return true;
}
