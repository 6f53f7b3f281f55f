/* Which functions can be copied as a whole: small ones that nothing branches into and that branch
 * into no part of another one.  Their callers may be redirected to the copy. */
#include "patch/analyse/x86_64/patchcopy.h"

#include "patch/analyse/patchsweep.h"
#include "patch/analyse/x86_64/patchindirect.h"
#include "patch/analyse/x86_64/patchmovable.h"
#include "patch/analyse/x86_64/patchbytes.h"

/* Notes that rule out a copy. */
#define UNSUITABLE                                                                                 \
	(PATCH_SWEPT_FALLS | PATCH_SWEPT_UNSUPPORTED | PATCH_SWEPT_HOOKED | PATCH_SWEPT_DATA |     \
	 PATCH_SWEPT_LABELS | PATCH_SWEPT_SHARED)

static bool is_fit(const struct patch_decision *decision, uint32_t index)
{
	const struct patch_function *function = &decision->module->functions[index];
	const struct patch_entry *entry = &function->entry;
	uint16_t notes = decision->module->sweep->notes[index];

	return function->way != PLAN_WAY_NONE && function->size <= PATCH_COPY_BYTES_MAX &&
	       (entry->way == PATCH_ENTRY_JUMP || entry->way == PATCH_ENTRY_PADDING ||
		entry->way == PATCH_ENTRY_CAVE) &&
	       !entry->keeps_flags && !function->has_handlers && (notes & PATCH_SWEPT_ALL) &&
	       !(notes & UNSUITABLE) && decision->first_fragments[index] == PATCH_NO_FUNCTION;
}

/* Exits lead to the first byte of other functions, or to addresses in no known function. */
static bool has_simple_exits(const struct patch_decision *decision, uint32_t index)
{
	const struct patch_module *module = decision->module;
	const struct patch_sweep *sweep = module->sweep;

	for (size_t i = sweep->first_events[index]; i < sweep->first_events[index + 1]; i++) {
		const struct patch_event *event = &sweep->events[i];
		const struct patch_function *to;

		switch ((enum patch_event_kind)event->kind) {
		case PATCH_EVENT_SHORT:
			return false;
		case PATCH_EVENT_JUMP_INDIRECT:
			if (patchindirect_target(decision, index, event) != PATCH_TARGET_OUTSIDE)
				return false;
			break;
		case PATCH_EVENT_JUMP:
		case PATCH_EVENT_CONDITIONAL:
			to = patchmodule_function_at(module, event->target);
			if (to && (to->address != event->target || to->reason == PLAN_PART))
				return false;
			break;
		default:
			break;
		}
	}
	return true;
}

static enum patch_copy patchcopy_classify(struct patch_decision *decision, uint32_t index)
{
	const struct patch_function *function = &decision->module->functions[index];
	const uint64_t end = function->address + function->size;
	enum patch_copy copy = PATCH_COPY_LEAF;
	struct patch_code code;

	if (!is_fit(decision, index) || !has_simple_exits(decision, index))
		return PATCH_COPY_NONE;
	for (uint64_t at = function->address; at < end; at += code.length) {
		if (!patchbytes_code(decision->module, at, &code) || code.length > end - at ||
		    code.kind == PATCH_CODE_LOOP || !patchmovable(decision, at, &code))
			return PATCH_COPY_NONE;
		if (code.kind == PATCH_CODE_CALL || code.kind == PATCH_CODE_CALL_INDIRECT)
			copy = PATCH_COPY_CALLS;
	}
	return copy;
}

void patchcopy_find_all(struct patch_decision *decision)
{
	struct patch_module *module = decision->module;

	for (uint32_t i = 0; i < module->function_count; i++)
		module->functions[i].copy = (uint8_t)patchcopy_classify(decision, i);
}
