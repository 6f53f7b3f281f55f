/* The caller of a function that was called by code that is not instrumented.  Compiled to use
 * general registers only: the unwinding runs on a stack of Kymo's own, with all registers saved. */
#include "collectors/functions/records/funcpatch_outside.h"

#include "collectors/functions/funcpatch.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/threads/funcpatch_threads.h"
#include "object/unwind/unwind.h"
#include "patch/apply/patchapplied.h"
#include "patch/read/planreadfunction.h"

#define FRAMES_MAX 64u /* of the calling code: a recursive merge sort uses one per level */

struct search {
	uint64_t slot, frame, found;
};

/* address is in an instrumented function, or in a trampoline. */
static bool is_instrumented(uint64_t address)
{
	uint32_t count = __atomic_load_n(&funcpatch_module_count, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < count; i++) {
		const struct funcpatch_module *module = &funcpatch_modules[i];
		const struct patch_applied *applied = &module->applied;
		uint64_t index;

		if (address >= applied->code && address < applied->code_end)
			return true;
		if (!module->is_loaded || module->is_api || address < module->start ||
		    address >= module->end)
			continue;
		index = plan_function_at(&applied->plan, address - applied->bias);
		return index < applied->plan.header->function_count && applied->is_written[index];
	}
	return false;
}

static void outside_unwind(void *argument)
{
	struct funcpatch_thread *self = argument;
	struct search *search = self->search;
	struct unwind_frame frames[FRAMES_MAX];
	struct unwind_registers from = {
		.pc = *(const uint64_t *)(uintptr_t)search->slot,
		.sp = search->slot + sizeof(uint64_t),
		.fp = search->frame,
	};
	const struct unwind_stack unknown = {0, 0};
	enum unwind_end end;
	size_t count = unwind_self(&from, &unknown, frames, FRAMES_MAX, &end);

	for (size_t i = 1; i < count; i++) {
		if (is_instrumented(frames[i].address)) {
			search->found = frames[i].address + 1;
			return;
		}
	}
}

uint64_t funcpatch_outside(uint64_t slot, uint64_t frame)
{
	struct search search = {.slot = slot, .frame = frame};

	if (frame == FUNCPATCH_NO_FRAME || is_instrumented(*(const uint64_t *)(uintptr_t)slot - 1))
		return 0;
	funcpatch_self->search = &search;
	(void)funcpatch_apart(outside_unwind);
	return search.found;
}
