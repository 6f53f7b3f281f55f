/* The instructions that trampolines displace, relocated, and the ends of a function. */
#include "patch/plan/x86_64/planleave.h"

#include "patch/decode/x86_64/planmove.h"
#include "patch/plan/x86_64/planpieces.h"

static bool planleave_decode(const struct plan_job *job, uint64_t address, uint64_t end,
			     struct move *out)
{
	const unsigned char *bytes = patchmodule_at(job->module, address, end - address);

	return bytes && move_decode(bytes, (size_t)(end - address), address, out);
}

/* A jump to target leaves the function, rather than entering another part of it. */
static bool is_outside(const struct plan_job *job, uint64_t target)
{
	const struct patch_function *function = job->function, *other;

	if (target > function->address && target - function->address < function->size)
		return false;
	other = patchmodule_function_at(job->module, target);
	return target != function->address && !(other && other->reason == PLAN_PART);
}

/* Leave the function by this return or jump, and record that. */
static bool emit_leaving(struct plan_job *job, const struct move *move, bool keeps_flags)
{
	const struct plan_blob *blob = job->hot.blob;
	size_t past;

	if (move->reads_below)
		return false;
	switch ((enum move_kind)move->kind) {
	case MOVE_RETURN:
		if (move->bytes[move->length - 1] == 0xc3) {
			asm_jump(job->hot, PLAN_TO_HOT, blob->exit_return[keeps_flags]);
			return true;
		}
		break;
	case MOVE_CONDITIONAL: /* not taken, it falls through */
		past = asm_branch_ahead(job->hot, move->condition ^ 1);
		asm_call(job->hot, PLAN_TO_HOT, blob->exit_jump[keeps_flags]);
		asm_jump(job->hot, PLAN_TO_FILE, move->target);
		asm_land(job->hot, past);
		return true;
	case MOVE_JUMP:
	case MOVE_INDIRECT:
		break;
	default:
		return false;
	}
	asm_call(job->hot, PLAN_TO_HOT, blob->exit_jump[keeps_flags]);
	move_emit(job->hot, move);
	return true;
}

/* The exit at an address that the analysis has found; NULL = none. */
static const struct patch_exit *find_exit(const struct plan_job *job, uint64_t address)
{
	const struct patch_function *function = job->function;

	for (uint32_t i = 0; i < function->exit_count; i++) {
		const struct patch_exit *exit = &job->module->exits[function->first_exit + i];

		if (exit->instruction == address && exit->kind != PATCH_EXIT_OWN_ENTRY)
			return exit;
	}
	return NULL;
}

/* Whether it is to be recorded, among the displaced instructions.  An indirect jump may stay inside
 * the function. */
static bool is_leaving(const struct plan_job *job, const struct move *move)
{
	if (job->way != PLAN_WAY_EXITS)
		return false;
	switch ((enum move_kind)move->kind) {
	case MOVE_RETURN:
		return true;
	case MOVE_INDIRECT:
		return find_exit(job, move->address) != NULL;
	case MOVE_JUMP:
	case MOVE_CONDITIONAL:
		return is_outside(job, move->target);
	default:
		return false;
	}
}

/* Whether an instruction among [start, end) can be relocated. */
static bool is_movable(const struct plan_job *job, const struct move *move, uint64_t start,
		       uint64_t end)
{
	uint64_t behind = move->address + move->length;

	/* Exception handlers, and other metadata, are found by the return address. */
	if (move->kind == MOVE_CALL && (job->function->has_handlers || move->target == behind))
		return false;
	return !move->has_target || move->target <= start || move->target >= end;
}

/* A jump of the function to its own first instruction: a loop, not a call. */
static bool is_jump_to_entry(const struct plan_job *job, const struct move *move)
{
	return (move->kind == MOVE_JUMP || move->kind == MOVE_CONDITIONAL) &&
	       (move->target == job->function->address || move->target == job->function->entry.at);
}

static void emit_jump_to_entry(struct plan_job *job, const struct move *move)
{
	if (move->kind == MOVE_JUMP)
		asm_jump(job->hot, PLAN_TO_HOT, job->body);
	else
		asm_branch(job->hot, move->condition, PLAN_TO_HOT, job->body);
}

static bool keeps_flags_at(const struct plan_job *job, uint64_t address)
{
	const struct patch_exit *exit = find_exit(job, address);

	return exit && exit->keeps_flags;
}

/* A call of a compiler's hook. */
static bool is_dropped(const struct plan_job *job, uint64_t address)
{
	return job->function->hook_bytes && job->function->hook_call == address;
}

bool emit_displaced(struct plan_job *job, uint64_t start, uint64_t last, uint64_t end)
{
	struct move move;

	for (uint64_t at = start; at < last; at += move.length) {
		if (!planleave_decode(job, at, last, &move))
			return false;
		if (is_dropped(job, at))
			continue;
		if (!is_movable(job, &move, start, end))
			return false;
		planblob_mark(job->hot.blob, false, PLAN_RULE_FILE, at);
		if (is_jump_to_entry(job, &move))
			emit_jump_to_entry(job, &move);
		else if (!is_leaving(job, &move))
			move_emit(job->hot, &move);
		else if (!emit_leaving(job, &move, keeps_flags_at(job, at)))
			return false;
	}
	return true;
}

/* The last instruction. */
static bool planleave_emit_last(struct plan_job *job, const struct patch_exit *exit,
				const struct move *move)
{
	planblob_mark(job->hot.blob, false, PLAN_RULE_FILE, exit->instruction);
	if (exit->kind != PATCH_EXIT_OWN_ENTRY) {
		if (!emit_leaving(job, move, exit->keeps_flags))
			return false;
	} else if (is_jump_to_entry(job, move)) {
		emit_jump_to_entry(job, move);
	} else {
		return false;
	}
	if (move->kind == MOVE_CONDITIONAL)
		asm_jump(job->hot, PLAN_TO_FILE, move->address + move->length);
	return true;
}

static bool is_plain_return(const struct patch_exit *exit, const struct move *move)
{
	return exit->instruction == exit->at && move->kind == MOVE_RETURN &&
	       move->bytes[move->length - 1] == 0xc3;
}

/* Code of its own, unless the jump can target the shared code directly. */
static bool planleave_emit_exit(struct plan_job *job, const struct patch_exit *exit)
{
	struct plan_blob *blob = job->hot.blob;
	uint64_t end = exit->at + exit->displaced;
	struct move last;
	uint32_t start;

	if (exit->displaced < JUMP_BYTES || exit->code > exit->displaced ||
	    exit->instruction < exit->at || exit->instruction >= exit->at + exit->code ||
	    !planleave_decode(job, exit->instruction, exit->at + exit->code, &last))
		return false;
	start = blob->exit_return[exit->keeps_flags];
	if (!is_plain_return(exit, &last)) {
		planblob_align(blob, false, PLAN_ALIGN);
		start = (uint32_t)blob->hot.size;
		if (!emit_displaced(job, exit->at, exit->instruction, end) ||
		    !is_movable(job, &last, exit->at, end) ||
		    !planleave_emit_last(job, exit, &last))
			return false;
	}
	job->code->jumps[job->code->jump_count++] = (struct plan_jump){exit->at, 0, start};
	return true;
}

/* Exits among the bytes that the entry displaces were emitted with it. */
static bool is_in_entry(const struct patch_function *function, const struct patch_exit *exit)
{
	return exit->displaced == 0 ||
	       (exit->instruction >= function->entry.at &&
		exit->instruction < function->entry.at + function->entry.displaced);
}

bool emit_exits(struct plan_job *job)
{
	const struct patch_function *function = job->function;

	for (uint32_t i = 0; i < function->exit_count; i++) {
		const struct patch_exit *exit = &job->module->exits[function->first_exit + i];

		if (is_in_entry(function, exit) ||
		    (job->way != PLAN_WAY_EXITS && exit->kind != PATCH_EXIT_OWN_ENTRY))
			continue;
		if (!planleave_emit_exit(job, exit))
			return false;
	}
	return true;
}

static bool is_hook_displaced(const struct patch_module *module,
			      const struct patch_function *function, enum plan_way way)
{
	const struct patch_entry *entry = &function->entry;

	if (function->hook_call >= entry->at && function->hook_call < entry->at + entry->displaced)
		return true;
	for (uint32_t i = 0; way == PLAN_WAY_EXITS && i < function->exit_count; i++) {
		const struct patch_exit *exit = &module->exits[function->first_exit + i];

		if (function->hook_call + function->hook_bytes > exit->at &&
		    function->hook_call < exit->at + exit->displaced)
			return true;
	}
	return false;
}

/* A nop, or for more bytes a jump over them. */
void emit_nop(struct plan_job *job)
{
	static const uint8_t five[] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
	const uint8_t size = job->function->hook_bytes;
	struct plan_function_code *code = job->code;

	if (size < sizeof(five) || is_hook_displaced(job->module, job->function, job->way))
		return;
	if (size == sizeof(five)) {
		memcpy(code->nop, five, sizeof(five));
		code->nop_bytes = sizeof(five);
		return;
	}
	code->nop[0] = 0xeb;
	code->nop[1] = (uint8_t)(size - 2);
	code->nop_bytes = 2;
}
