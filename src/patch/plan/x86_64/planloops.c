/* The trampolines of loops: the displaced instructions of an edge, and a call of a slow routine on
 * the paths that enter or leave the loop.
 *
 * They are in the middle of functions, so everything is preserved: the 128-byte red zone,
 * registers, flags.  The loop's slot in records is the word below the function's return address: it
 * belongs to the function, and no callee can have its return address there. */
#include "patch/plan/x86_64/planloops.h"

#include <stddef.h>

#include "patch/decode/x86_64/planmove.h"
#include "patch/plan/x86_64/planarithmetic.h"
#include "patch/plan/x86_64/planpieces.h"

#define RED_ZONE  128
#define PLACE	  (-16) /* from the canonical frame address */
#define SAVED	  32	/* bytes of what is pushed */
#define REACH_MAX 0x1000000

struct edge_job {
	struct plan_out to;
	struct patch_module *module;
	uint32_t index;
};

static void planloops_mark(const struct edge_job *job, uint64_t address, unsigned stepped)
{
	planblob_mark_stepped(job->to.blob, job->to.is_cold, address, stepped);
}

static void emit_push(const struct edge_job *job, enum asm_register reg, uint64_t address,
		      unsigned stepped)
{
	ASM_BYTES(job->to, (uint8_t)(0x50 | reg)); /* push reg */
	planloops_mark(job, address, stepped);
}

static void emit_pop(const struct edge_job *job, enum asm_register reg, uint64_t address,
		     unsigned stepped)
{
	ASM_BYTES(job->to, (uint8_t)(0x58 | reg)); /* pop reg */
	planloops_mark(job, address, stepped);
}

static void emit_keep(const struct edge_job *job, uint64_t address)
{
	asm_step(job->to, -RED_ZONE);
	planloops_mark(job, address, RED_ZONE);
	emit_push(job, ASM_RAX, address, RED_ZONE + 8);
	emit_push(job, ASM_RDX, address, RED_ZONE + 16);
	emit_push(job, ASM_RCX, address, RED_ZONE + 24);
	asm_save_flags(job->to);
	emit_push(job, ASM_RAX, address, RED_ZONE + SAVED);
}

static void planloops_emit_restore(const struct edge_job *job, uint64_t address)
{
	emit_pop(job, ASM_RAX, address, RED_ZONE + 24);
	asm_restore_flags(job->to);
	emit_pop(job, ASM_RCX, address, RED_ZONE + 16);
	emit_pop(job, ASM_RDX, address, RED_ZONE + 8);
	emit_pop(job, ASM_RAX, address, RED_ZONE);
	asm_step(job->to, RED_ZONE);
	planloops_mark(job, address, 0);
}

/* rdx = the loop's slot in the frame */
static void emit_place(const struct edge_job *job, const struct patch_frame_at *frame)
{
	int32_t distance = frame->offset + PLACE;

	if (frame->is_from_frame) {
		ASM_BYTES(job->to, 0x48, 0x8d, 0x95); /* lea rdx, [rbp + distance] */
	} else {
		distance += RED_ZONE + SAVED;
		ASM_BYTES(job->to, 0x48, 0x8d, 0x94, 0x24); /* lea rdx, [rsp + distance] */
	}
	planblob_bytes(job->to.blob, job->to.is_cold, &distance, sizeof(distance));
}

/* Enter or leave, with the unwind rules of address, where it continues. */
static void planloops_emit_record(const struct edge_job *job, enum patch_step step,
				  const struct patch_frame_at *frame, uint64_t address)
{
	size_t off;

	if (step == PATCH_STEP_NONE)
		return;
	emit_keep(job, address);
	asm_switch_compare(job->to);
	off = asm_branch_ahead(job->to, ASM_NOT_EQUAL);
	emit_place(job, frame);
	asm_vector(job->to, ASM_LOAD, ASM_RCX, VECTOR(thread_offset));
	if (step == PATCH_STEP_ENTER)
		asm_value(job->to, ASM_RAX, job->index);
	asm_vector_call(job->to, step == PATCH_STEP_ENTER ? VECTOR(slow_enter) : VECTOR(slow_exit));
	asm_land(job->to, off);
	planloops_emit_restore(job, address);
}

static void emit_way(const struct edge_job *job, enum patch_step step,
		     const struct patch_frame_at *frame, uint64_t address)
{
	planloops_mark(job, address, 0);
	planloops_emit_record(job, step, frame, address);
	asm_jump(job->to, PLAN_TO_FILE, address);
}

/* The instruction that makes the edge, with both of its outcomes. */
static bool planloops_emit_last(const struct edge_job *job, const struct patch_edge *edge,
				const struct move *move)
{
	const uint64_t behind = move->address + move->length;
	size_t past;

	switch ((enum move_kind)move->kind) {
	case MOVE_PLAIN:
	case MOVE_CALL:
		move_emit(job->to, move);
		emit_way(job, edge->falls, &edge->falls_frame, behind);
		return true;
	case MOVE_JUMP:
		emit_way(job, edge->taken, &edge->taken_frame, move->target);
		return true;
	case MOVE_CONDITIONAL:
		past = asm_branch_ahead(job->to, move->condition ^ 1);
		emit_way(job, edge->taken, &edge->taken_frame, move->target);
		asm_land(job->to, past);
		emit_way(job, edge->falls, &edge->falls_frame, behind);
		return true;
	default:
		return false;
	}
}

/* The instructions before the last one. */
static bool planloops_can_move(const struct patch_edge *edge, const struct move *move)
{
	const uint64_t end = edge->at + edge->displaced;

	if (move->kind == MOVE_CONDITIONAL || (move->kind == MOVE_CALL && move->has_target))
		return move->target <= edge->at || move->target >= end;
	return move->kind == MOVE_PLAIN;
}

static bool emit_edge(const struct edge_job *job, const struct patch_edge *edge)
{
	const uint64_t end = edge->at + edge->displaced;
	struct move move;

	for (uint64_t at = edge->at; at < end; at += move.length) {
		const unsigned char *bytes = patchmodule_at(job->module, at, end - at);

		if (!bytes || !move_decode(bytes, (size_t)(end - at), at, &move))
			return false;
		planloops_mark(job, at, 0);
		if (at == edge->instruction)
			return planloops_emit_last(job, edge, &move);
		if (!planloops_can_move(edge, &move))
			return false;
		move_emit(job->to, &move);
	}
	return false;
}

/* Larger frames are not plausible. */
static bool is_near(const struct patch_frame_at *frame)
{
	return frame->offset >= 0 && frame->offset < REACH_MAX;
}

bool planloops_emit(struct plan_blob *blob, struct patch_module *module,
		    const struct patch_edge *edges, uint32_t count, uint32_t index,
		    struct plan_function_code *code)
{
	const struct edge_job job = {.to = {blob, false}, .module = module, .index = index};
	struct plan_state state;

	code->jump_count = 0;
	planblob_begin(blob, &state);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t at;

		planblob_align(blob, false, PLAN_ALIGN);
		at = (uint32_t)blob->hot.size;
		if (!is_near(&edges[i].taken_frame) || !is_near(&edges[i].falls_frame) ||
		    !emit_edge(&job, &edges[i])) {
			planblob_back(blob, &state);
			code->jump_count = 0;
			return false;
		}
		code->jumps[code->jump_count++] = (struct plan_jump){edges[i].at, 0, at};
	}
	planblob_end(blob, &state, index);
	return true;
}
