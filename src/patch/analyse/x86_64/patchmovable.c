/* Calls are critical: a relocated call has another return address, which unwinders, setjmp and
 * exceptions look up. */
#include "patch/analyse/x86_64/patchmovable.h"

#include "patch/analyse/file/patchframes.h"
#include "patch/analyse/file/patchimports.h"
#include "patch/analyse/patchhandlers.h"
#include "patch/analyse/x86_64/patchhooks.h"
#include "patch/analyse/x86_64/return_use.h"

static const char *name_of_called(const struct patch_module *module, uint64_t address,
				  const struct patch_code *code)
{
	const struct patch_function *function;
	uint64_t target;

	if (code->kind == PATCH_CODE_CALL_INDIRECT)
		return code->is_rip_relative
			       ? patchimports_word(module, patchcode_operand(code, address))
			       : "";
	target = patchcode_target(code, address);
	function = patchmodule_function_at(module, target);
	if (function && function->address == target && *function->name)
		return function->name;
	return patchimports_stub(module, target);
}

/* A call of the next instruction computes its own address. */
static bool is_movable_call(struct patch_decision *decision, uint64_t address,
			    const struct patch_code *code)
{
	const struct patch_module *module = decision->module;
	const struct cfi_fde *fde = patchframes_at(module, address);
	const struct patch_function *called;
	if (patchhooks_is_dropped(module, address))
		return true;
	if (code->kind == PATCH_CODE_CALL && code->immediate == 0)
		return false;
	if (fde && fde->handlers && !patchhandlers_pass(module, fde, address + code->length))
		return false;
	if (return_use_is_special(name_of_called(module, address, code)))
		return false;
	called = code->kind == PATCH_CODE_CALL
			 ? patchmodule_function_at(module, patchcode_target(code, address))
			 : NULL;
	return !called || patchdecision_reason(called) == PLAN_STUB ||
	       return_use_is_none(decision, patchdecision_index(module, called));
}

bool patchmovable(struct patch_decision *decision, uint64_t address, const struct patch_code *code)
{
	switch (code->kind) {
	case PATCH_CODE_CALL:
	case PATCH_CODE_CALL_INDIRECT:
		return is_movable_call(decision, address, code);
	case PATCH_CODE_LOOP: /* xbegin cannot be moved */
		return code->opcode != 0xc7;
	case PATCH_CODE_STOP:
	case PATCH_CODE_TRAP:
	case PATCH_CODE_UNSUPPORTED:
		return false;
	default:
		return true;
	}
}
