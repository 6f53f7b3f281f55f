/* Copies of functions that only count their calls.
 *
 * One add to a word of the thread, then the function: all of it, so that a redirected call costs
 * nothing more; or, with COUNTS, a jump to the displaced instructions.  They begin at cache lines,
 * so that as few of them as possible span two. */
#include "patch/plan/planthrottle.h"

#include "base/array.h"
#include "patch/decode/x86_64/planmove.h"

#define COUNTER_AT   5u /* in the instruction that counts: where the word's distance is */
#define BRANCHES_MAX PATCH_COPY_BYTES_MAX

struct copy_job {
	struct plan_out to;
	const struct patch_module *module;
	const struct patch_function *function;
	uint32_t places[PATCH_COPY_BYTES_MAX]; /* by byte of the function: its offset; 0 = none */
	struct {
		size_t link;
		uint32_t byte;
	} branches[BRANCHES_MAX]; /* within the function */
	unsigned branch_count;
};

/* add qword ptr fs:[0], 1 */
static void planthrottle_emit_count(struct plan_out to)
{
	ASM_BYTES(to, 0x64, 0x48, 0x83, 0x04, 0x25, 0, 0, 0, 0, 1);
}

static void branch_inside(struct copy_job *job, const struct move *move)
{
	if (move->kind == MOVE_JUMP)
		asm_jump(job->to, PLAN_TO_HOT, 0);
	else
		asm_branch(job->to, move->condition, PLAN_TO_HOT, 0);
	job->branches[job->branch_count].link = job->to.blob->link_count - 1;
	job->branches[job->branch_count++].byte = (uint32_t)(move->target - job->function->address);
}

static bool emit_instruction(struct copy_job *job, const struct move *move)
{
	const struct patch_function *function = job->function;
	bool is_inside = move->target - function->address < function->size;

	switch ((enum move_kind)move->kind) {
	case MOVE_JUMP:
	case MOVE_CONDITIONAL:
		if (!is_inside) {
			move_emit(job->to, move);
			return true;
		}
		branch_inside(job, move);
		return job->branch_count < BRANCHES_MAX;
	case MOVE_COUNTED:
		return false;
	case MOVE_CALL: /* of itself: counted as any other */
		move_emit(job->to, move);
		return true;
	default:
		if (move->has_data && is_inside && move->target != function->address)
			return false;
		move_emit(job->to, move);
		return true;
	}
}

/* Jumps to its first instruction, after an endbr64 or at it, do not count. */
static bool land_branches(struct copy_job *job, uint32_t first)
{
	struct plan_blob *blob = job->to.blob;

	job->places[0] = job->places[first];
	for (unsigned i = 0; i < job->branch_count && !blob->is_failed; i++) {
		uint32_t place = job->places[job->branches[i].byte];

		if (place == 0)
			return false;
		blob->links[job->branches[i].link].target = place;
	}
	return !blob->is_failed;
}

static bool emit_whole(struct copy_job *job)
{
	const struct patch_function *function = job->function;
	const uint64_t end = function->address + function->size;
	const uint32_t first = (uint32_t)(function->entry.at - function->address);
	struct move move;

	if (first >= function->size || function->size > PATCH_COPY_BYTES_MAX)
		return false;
	for (uint64_t at = function->entry.at; at < end; at += move.length) {
		const unsigned char *bytes = patchmodule_at(job->module, at, end - at);

		if (!bytes || !move_decode(bytes, (size_t)(end - at), at, &move))
			return false;
		planblob_mark(job->to.blob, false, PLAN_RULE_FILE, at);
		job->places[at - function->address] = (uint32_t)asm_here(job->to);
		if (!emit_instruction(job, &move))
			return false;
	}
	return land_branches(job, first);
}

static bool can_be_whole(const struct plan_blob *blob, const struct patch_function *function)
{
	/* With COUNTS the calling function matters. */
	return function->copy == PATCH_COPY_LEAF ||
	       (function->copy == PATCH_COPY_CALLS && blob->cost != PATCH_COST_COUNTS);
}

static void add_copy(struct plan_throttle *throttle, uint32_t function, uint32_t at, uint32_t flags)
{
	struct plan_copy *grown = array_grow(throttle->copies, &throttle->copy_capacity,
					     throttle->copy_count + 1, sizeof(*grown));

	if (!grown) {
		throttle->is_failed = true;
		return;
	}
	throttle->copies = grown;
	grown[throttle->copy_count++] = (struct plan_copy){
		.function = function, .code = at, .counter_at = at + COUNTER_AT, .flags = flags};
}

void planthrottle_copy(struct plan_throttle *throttle, struct plan_blob *blob,
		       const struct patch_module *module, uint32_t function, uint32_t body)
{
	struct copy_job job = {
		.to = {blob, false}, .module = module, .function = &module->functions[function]};
	bool is_whole = can_be_whole(blob, job.function);
	struct plan_state state;
	uint32_t start;

	/* Where exits are recorded, an exit without an entry would end another call. */
	if (job.function->entry.keeps_flags || (!is_whole && blob->cost != PATCH_COST_COUNTS))
		return;
	planblob_align(blob, false, PLAN_LINE);
	planblob_begin(blob, &state);
	start = (uint32_t)state.start;
	planblob_mark(blob, false, PLAN_RULE_ENTRY, 0);
	planthrottle_emit_count(job.to);
	if (!is_whole) {
		asm_jump(job.to, PLAN_TO_HOT, body);
	} else if (!emit_whole(&job)) {
		planblob_back(blob, &state);
		return;
	}
	planblob_end(blob, &state, function);
	add_copy(throttle, function, start, is_whole ? PLAN_COPY_WHOLE : 0);
}
