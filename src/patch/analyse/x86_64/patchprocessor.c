/* The processor table of x86-64. */
#include "patch/analyse/patchprocessor.h"

#include <elf.h>
#include <string.h>

#include "patch/analyse/file/patchimports.h"
#include "patch/analyse/patchdecide.h"
#include "patch/analyse/patchsweep.h"
#include "patch/plan/planemit.h"
#include "patch/plan/x86_64/planshared.h"

#define JUMP_BYTES 5u

static bool is_entry(const struct patch_module *module, const struct cfi_fde *fde,
		     bool *has_rule_out)
{
	(void)module;
	*has_rule_out = fde->row.cfa != CFI_CFA_NONE;
	return patchsweep_is_entry_row(&fde->row);
}

static bool jump(uint64_t at, uint64_t target, uint8_t *bytes)
{
	int64_t distance = (int64_t)(target - (at + JUMP_BYTES));

	bytes[0] = 0xe9;
	memcpy(bytes + 1, &(int32_t){(int32_t)distance}, 4);
	return distance == (int32_t)distance;
}

const struct patch_processor patchprocessor_x86_64 = {
	.machine = EM_X86_64,
	.sweep = patchsweep_run,
	.superset = patchsweep_superset,
	.is_entry = is_entry,
	.decide = patchdecide,
	.stub = patchimports_stub_x86_64,
	.relocations = {R_X86_64_GLOB_DAT, R_X86_64_JUMP_SLOT, R_X86_64_64},
	.emit_shared = planemit_shared,
	.emit_function = planemit_function,
	.jump = jump,
	.jump_bytes = JUMP_BYTES,
	.jump_distance_at = 1,
	.has_calls = true,
	.has_loops = true,
	.has_copies = true,
	.library_gap = UINT64_C(512) << 20,
	/* The heap is in between: it begins up to 1 GiB after the program and has space to grow. */
	.program_gap = UINT64_C(1792) << 20,
};
