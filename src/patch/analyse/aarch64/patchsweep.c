/* One pass over all code of an AArch64 file.  All instructions have 4 bytes and a jump displaces
 * just one, so branch targets matter only to tell calls from loops. */
#include "patch/analyse/aarch64/patchsweep.h"

#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "patch/analyse/file/patchimports.h"

struct pass {
	struct patch_module *module;
	size_t event_capacity;
	bool is_short_of_memory;
};

struct visit { /* of one function */
	struct pass *pass;
	struct patch_function *function;
	uint32_t index;
	uint64_t again; /* where a branch back to the entry may land: behind its landing pad
			 * instruction */
	bool names_itself, has_jump_by;
};

bool armsweep_code(const struct patch_module *module, uint64_t address, struct arm_code *out)
{
	const unsigned char *bytes = patchmodule_at(module, address, ARM_BYTES);
	uint32_t word;

	if (!bytes || address % ARM_BYTES != 0)
		return false;
	memcpy(&word, bytes, sizeof(word));
	armcode_decode(word, address, out);
	return out->kind != ARM_UNKNOWN;
}

uint64_t armsweep_entry(const struct patch_module *module, const struct patch_function *function)
{
	struct arm_code code;

	if (armsweep_code(module, function->address, &code) && code.kind == ARM_LANDING)
		return function->address + ARM_BYTES;
	return function->address;
}

static void add_event(struct visit *visit, uint64_t address, enum patch_event_kind kind,
		      uint64_t target)
{
	struct pass *pass = visit->pass;
	struct patch_sweep *sweep = pass->module->sweep;
	struct patch_event *events = array_grow(sweep->events, &pass->event_capacity,
						sweep->event_count + 1, sizeof(*events));

	if (!events) {
		pass->is_short_of_memory = true;
		return;
	}
	sweep->events = events;
	events[sweep->event_count++] = (struct patch_event){.address = address,
							    .target = target,
							    .function = visit->index,
							    .kind = (uint8_t)kind,
							    .length = ARM_BYTES};
}

static void patchsweep_see_branch(struct visit *visit, uint64_t address,
				  const struct arm_code *code)
{
	struct patch_function *function = visit->function;

	patchsweep_mark(visit->pass->module, code->target);
	if (code->target - function->address >= function->size) {
		add_event(visit, address,
			  code->kind == ARM_JUMP ? PATCH_EVENT_JUMP : PATCH_EVENT_CONDITIONAL,
			  code->target);
		return;
	}
	if (code->target <= address)
		function->flags |= PLAN_FUNCTION_LOOPS;
	if (code->target == function->address || code->target == visit->again)
		add_event(visit, address, PATCH_EVENT_OWN_ENTRY, code->target);
}

/* An address within the function itself is the base of a jump table, or data. */
static void see_address(struct visit *visit, const struct arm_code *code)
{
	const struct patch_function *function = visit->function;

	if (code->target - function->address < function->size)
		visit->names_itself |= code->target != function->address;
	else
		patchsweep_name(visit->pass->module, code->target);
}

/* adrp reg; add reg, reg, #low */
static void see_page(struct visit *visit, uint64_t address, const struct arm_code *code)
{
	struct patch_module *module = visit->pass->module;
	struct arm_code next;

	if (!armsweep_code(module, address + ARM_BYTES, &next) ||
	    (next.word & 0xffc003ff) != (0x91000000 | (uint32_t)code->by << 5 | code->by))
		return;
	patchsweep_name(module, code->target + (next.word >> 10 & 0xfff));
}

static void patchsweep_see(struct visit *visit, uint64_t address, const struct arm_code *code)
{
	struct patch_module *module = visit->pass->module;

	switch ((enum arm_kind)code->kind) {
	case ARM_RETURN:
		add_event(visit, address, PATCH_EVENT_RETURN, 0);
		break;
	case ARM_JUMP:
	case ARM_CONDITIONAL:
		patchsweep_see_branch(visit, address, code);
		break;
	case ARM_CALL:
		patchsweep_name(module, code->target);
		break;
	case ARM_JUMP_BY:
		visit->has_jump_by = true;
		add_event(visit, address, PATCH_EVENT_JUMP_INDIRECT, 0);
		break;
	case ARM_ADDRESS:
		see_address(visit, code);
		break;
	case ARM_PAGE:
		see_page(visit, address, code);
		break;
	case ARM_LOAD:
		patchsweep_see_data(module, code->target);
		break;
	case ARM_UNSUPPORTED:
		module->sweep->notes[visit->index] |= PATCH_SWEPT_UNSUPPORTED;
		break;
	default:
		break;
	}
}

static bool patchsweep_falls_through(const struct arm_code *last)
{
	switch ((enum arm_kind)last->kind) {
	case ARM_RETURN:
	case ARM_JUMP:
	case ARM_JUMP_BY:
	case ARM_STOP:
	case ARM_CALL: /* of a function that does not return: nothing else can be last */
	case ARM_CALL_BY:
	case ARM_UNSUPPORTED:
		return false;
	default:
		return true;
	}
}

static void sweep_function(struct visit *visit)
{
	struct patch_module *module = visit->pass->module;
	struct patch_function *function = visit->function;
	uint16_t *notes = &module->sweep->notes[visit->index];
	uint64_t at = function->address, end = function->address + function->size;
	bool falls_through = false;
	struct arm_code code;

	visit->again = armsweep_entry(module, function);
	for (; at + ARM_BYTES <= end && armsweep_code(module, at, &code); at += ARM_BYTES) {
		patchsweep_see(visit, at, &code);
		if (code.word != ARM_NOP)
			falls_through = patchsweep_falls_through(&code);
		function->instructions++;
	}
	if (at == end)
		*notes |= PATCH_SWEPT_ALL;
	if (falls_through)
		*notes |= PATCH_SWEPT_FALLS;
	/* Without a jump that could use it as a base it is data. */
	if (visit->names_itself && !visit->has_jump_by)
		*notes |= PATCH_SWEPT_DATA;
}

enum kymo_status armsweep_run(struct patch_module *module, struct problem *problem)
{
	struct pass pass = {.module = module};
	struct patch_sweep *sweep = module->sweep;

	sweep->first_events = calloc(module->function_count + 1, sizeof(*sweep->first_events));
	if (!sweep->first_events)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	for (uint32_t i = 0; i < module->function_count && !pass.is_short_of_memory; i++) {
		struct visit visit = {.pass = &pass, .function = &module->functions[i], .index = i};

		sweep->first_events[i] = (uint32_t)sweep->event_count;
		sweep_function(&visit);
	}
	sweep->first_events[module->function_count] = (uint32_t)sweep->event_count;
	if (pass.is_short_of_memory || sweep->event_count > UINT32_MAX)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	return KYMO_OK;
}

void armsweep_superset(struct patch_module *module, uint64_t start, uint64_t end)
{
	struct arm_code code;

	for (uint64_t at = (start + 3) & ~UINT64_C(3); at + ARM_BYTES <= end; at += ARM_BYTES) {
		if (!armsweep_code(module, at, &code))
			continue;
		if (code.kind == ARM_JUMP || code.kind == ARM_CONDITIONAL)
			patchsweep_mark(module, code.target);
		else if (code.kind == ARM_CALL || code.kind == ARM_ADDRESS)
			patchsweep_name(module, code.target);
	}
}

static bool is_as_called(const struct cfi_state *state)
{
	const struct cfi_rule *back = &state->rules[CFI_RETURN];

	return !state->has_expression && state->cfa_register == ARMSWEEP_STACK &&
	       state->cfa_offset == 0 &&
	       (back->kind == CFI_RULE_UNSPECIFIED || back->kind == CFI_RULE_SAME_VALUE);
}

static bool state_at(const struct patch_module *module, uint64_t address, struct cfi_state *out)
{
	struct cfi_entry entry;

	return cfi_find_entry(&module->frames, address, &entry) && !entry.is_signal &&
	       cfi_run(&module->frames, &entry, address, CFI_NONE_REQUESTED, out);
}

bool armsweep_is_popped(const struct patch_module *module, uint64_t address)
{
	struct cfi_state state;

	return state_at(module, address, &state) && is_as_called(&state);
}

bool armsweep_is_entry(const struct patch_module *module, const struct cfi_fde *fde,
		       bool *has_rule_out)
{
	struct cfi_state state;

	*has_rule_out = state_at(module, fde->start, &state);
	return *has_rule_out && is_as_called(&state);
}

/* adrp x16, page; ldr x17, [x16, #low], after an optional bti. */
const char *armsweep_stub(const struct patch_module *module, uint64_t address)
{
	struct arm_code page, load;

	if (armsweep_code(module, address, &page) && page.kind == ARM_LANDING)
		address += ARM_BYTES;
	if (!armsweep_code(module, address, &page) ||
	    !armsweep_code(module, address + ARM_BYTES, &load) || page.kind != ARM_PAGE ||
	    page.by != 16 || (load.word & 0xffc003ff) != 0xf9400211)
		return "";
	return patchimports_word(module, page.target + (load.word >> 10 & 0xfff) * UINT64_C(8));
}
