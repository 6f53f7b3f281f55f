/* The instructions that trampolines of AArch64 displace, relocated, and the ends of a function. */
#include "patch/plan/aarch64/planleave.h"

#include "patch/analyse/aarch64/patchsweep.h"
#include "patch/plan/aarch64/planarithmetic.h"
#include "patch/plan/aarch64/planpieces.h"

/* reg = an address of the file */
static void emit_address(struct plan_out to, unsigned reg, uint64_t target)
{
	arm_adrp(to, reg, PLAN_TO_FILE, target);
	arm_add_low(to, reg, PLAN_TO_FILE, target);
}

/* A PC-relative load becomes a load from an address in a register: in its destination, or for
 * vector registers in x16, which trampolines have restored by then. */
static void emit_load(struct plan_out to, const struct arm_code *code, bool is_signed)
{
	static const uint32_t general[] = {0xb9400000, 0xf9400000, 0xb9800000};
	static const uint32_t vector[] = {0xbd400000, 0xfd400000, 0x3dc00000};
	unsigned size = code->word >> 30, by = code->by;

	if (code->word & 1u << 26) {
		arm_push(to, ARM_X16, ARM_X17, 16);
		arm_mark(to, PLAN_RULE_STEPPED, is_signed);
		emit_address(to, ARM_X16, code->target);
		arm_word(to, vector[size] | ARM_X16 << 5 | by);
		arm_pop(to, ARM_X16, ARM_X17, 16);
		arm_mark(to, PLAN_RULE_ENTRY, is_signed);
	} else if (size != 3 && by != ARM_ZERO) { /* else it is just a prefetch */
		emit_address(to, by, code->target);
		arm_word(to, general[size] | by << 5 | by);
	}
}

/* The same condition with another distance, forwards in this stretch: two instructions on. */
static uint32_t skip_one(uint32_t word)
{
	if ((word & 0x7e000000) == 0x36000000)
		return (word & ~(UINT32_C(0x3fff) << 5)) | 2u << 5;
	return (word & ~(UINT32_C(0x7ffff) << 5)) | 2u << 5;
}

/* Branch to target if the condition holds: cond over; b behind; over: … */
static void emit_condition(struct plan_out to, const struct arm_code *code, uint64_t behind)
{
	arm_word(to, skip_one(code->word));
	arm_b(to, PLAN_TO_FILE, behind);
}

/* A call from its original address: the return address is that of the file. */
static void emit_call(struct plan_out to, const struct arm_code *code, uint64_t behind)
{
	if (code->kind == ARM_CALL) {
		emit_address(to, ARM_LINK, behind);
		arm_b(to, PLAN_TO_FILE, code->target);
	} else {
		/* Through x16, which may branch to landing pads of calls. */
		arm_move(to, ARM_X16, code->by);
		emit_address(to, ARM_LINK, behind);
		arm_br(to, ARM_X16);
	}
}

/* True: the code continues after it. */
static bool emit_same(const struct plan_job *job, const struct arm_code *code, uint64_t behind)
{
	struct plan_out to = job->hot;

	switch ((enum arm_kind)code->kind) {
	case ARM_JUMP:
		arm_b(to, PLAN_TO_FILE, code->target);
		return false;
	case ARM_CALL:
	case ARM_CALL_BY:
		emit_call(to, code, behind);
		return false;
	case ARM_CONDITIONAL:
		emit_condition(to, code, behind);
		arm_b(to, PLAN_TO_FILE, code->target);
		return false;
	case ARM_ADDRESS:
		if (code->by != ARM_ZERO)
			emit_address(to, code->by, code->target);
		return true;
	case ARM_PAGE:
		if (code->by != ARM_ZERO)
			arm_adrp(to, code->by, PLAN_TO_FILE, code->target);
		return true;
	case ARM_LOAD:
		emit_load(to, code, job->is_signed);
		return true;
	default:
		arm_word(to, code->word);
		return code->kind != ARM_RETURN && code->kind != ARM_JUMP_BY;
	}
}

static void emit_exit_call(struct plan_out to, bool is_signed)
{
	arm_word(to, 0xf81f0ffe); /* str x30, [sp, #-16]! */
	arm_mark(to, PLAN_RULE_JUMP, is_signed);
	arm_bl(to, PLAN_TO_HOT, to.blob->exit_jump[0]);
	arm_word(to, 0xf84107fe); /* ldr x30, [sp], #16 */
	arm_mark(to, PLAN_RULE_ENTRY, is_signed);
}

/* Leave the function by this instruction, and record that. */
static void emit_leaving(struct plan_out to, const struct arm_code *code, uint64_t behind)
{
	const uint32_t plain_return = 0xd65f03c0;

	if (code->word == plain_return) {
		arm_b(to, PLAN_TO_HOT, to.blob->exit_return[0]);
		return;
	}
	if (code->kind == ARM_CONDITIONAL)
		emit_condition(to, code, behind);
	emit_exit_call(to, code->kind == ARM_RETURN && code->is_signed);
	if (code->kind == ARM_JUMP || code->kind == ARM_CONDITIONAL)
		arm_b(to, PLAN_TO_FILE, code->target);
	else
		arm_word(to, code->word);
}

static const struct patch_exit *find_exit(const struct plan_job *job, uint64_t address)
{
	const struct patch_function *function = job->function;

	for (uint32_t i = 0; i < function->exit_count; i++)
		if (job->module->exits[function->first_exit + i].instruction == address)
			return &job->module->exits[function->first_exit + i];
	return NULL;
}

/* A jump of the function to its own first instruction: a loop, not a call. */
static void emit_jump_to_entry(struct plan_job *job, const struct arm_code *code, uint64_t behind)
{
	if (code->kind == ARM_CONDITIONAL)
		emit_condition(job->hot, code, behind);
	arm_b(job->hot, PLAN_TO_HOT, job->body);
}

bool armleave_displaced(struct plan_job *job, uint64_t address, bool *goes_on_out)
{
	const struct patch_exit *exit = find_exit(job, address);
	const uint64_t behind = address + ARM_BYTES;
	struct arm_code code;

	*goes_on_out = false;
	if (!armsweep_code(job->module, address, &code) || code.kind == ARM_UNSUPPORTED)
		return false;
	/* These would need another register. */
	if (code.kind == ARM_CALL_BY && code.is_signed)
		return false;
	if (exit && exit->kind == PATCH_EXIT_OWN_ENTRY)
		emit_jump_to_entry(job, &code, behind);
	else if (exit && job->way == PLAN_WAY_EXITS)
		emit_leaving(job->hot, &code, behind);
	else
		*goes_on_out = emit_same(job, &code, behind);
	return true;
}

bool armleave_exits(struct plan_job *job)
{
	const struct patch_function *function = job->function;

	for (uint32_t i = 0; i < function->exit_count; i++) {
		const struct patch_exit *exit = &job->module->exits[function->first_exit + i];
		struct arm_code code;
		uint32_t start = arm_here(job->hot);
		bool is_signed, falls_through;

		if (exit->displaced == 0)
			continue;
		if (job->way != PLAN_WAY_EXITS && exit->kind != PATCH_EXIT_OWN_ENTRY)
			continue;
		if (!armsweep_code(job->module, exit->at, &code))
			return false;
		is_signed = code.kind == ARM_RETURN && code.is_signed;
		arm_mark(job->hot, PLAN_RULE_ENTRY, is_signed);
		if (code.word == 0xd65f03c0)
			start = job->hot.blob->exit_return[0];
		else if (!armleave_displaced(job, exit->at, &falls_through))
			return false;
		job->code->jumps[job->code->jump_count++] = (struct plan_jump){exit->at, 0, start};
	}
	return true;
}
