/* A module's functions are all written when the recording is open. */
#include "collectors/functions/modules/funcpatch_describe.h"

#include "collectors/functions/counts/funcpatch_counts.h"
#include "collectors/functions/funcpatch_settings.h"
#include "collectors/functions/modules/funcpatch_module.h"
#include "collectors/functions/records/funcpatch_cost.h"
#include "collectors/functions/threads/funcpatch_shadow.h"
#include "platform/ticks.h"
#include "runtime/control/sampling.h"

static uint32_t describe_flags_of(const struct funcpatch_module *module, uint64_t index)
{
	const struct plan_function *function = &module->applied.plan.functions[index];
	bool is_called = function->way == PLAN_WAY_CALL && funcpatch_shadow_start() != UINT64_MAX;
	uint32_t flags = module->applied.is_written[index] ? KYMO_FUNCTION_TAKEN : 0;

	if (is_called)
		flags |= KYMO_FUNCTION_CALL_THROUGH;
	else if (function->way != PLAN_WAY_EXITS && function->way != PLAN_WAY_HOOK)
		flags |= KYMO_FUNCTION_NO_EXIT;
	if (function->flags & PLAN_FUNCTION_TAIL_CALLS)
		flags |= KYMO_FUNCTION_TAIL_CALLS;
	if (function->flags & PLAN_FUNCTION_LOOP)
		flags |= KYMO_FUNCTION_LOOP;
	return flags;
}

static void describe_fill_table(const struct funcpatch_module *module,
				struct kymo_function_table *table)
{
	const struct plan *plan = &module->applied.plan;
	struct kymo_function_range *place = (struct kymo_function_range *)(table + 1);
	struct kymo_function_code *code = (struct kymo_function_code *)(place + module->count);
	uint64_t start = plan->header->image_start;

	table->start = start + module->applied.bias;
	table->ticks = ticks_now();
	table->first_id = module->first_id;
	table->count = module->count;
	table->cost = funcpatch_settings.cost;
	table->taken = (uint32_t)module->taken;
	table->cost_ps = funcpatch_cost_ps();
	table->inside_ps = (uint32_t)funcpatch_inside_ps();
	if (funcpatch_settings.cost == PATCH_COST_COUNTS)
		table->timing_ticks = funcpatch_counts_timing();
	table->code = module->applied.code;
	table->code_size = (uint32_t)plan->header->code_size;
	for (uint32_t i = 0; i < module->count; i++) {
		uint32_t size = plan->functions[i].size;

		if (size > KYMO_FUNCTION_SIZE_MASK)
			size = KYMO_FUNCTION_SIZE_MASK;
		place[i].offset = (uint32_t)(plan->functions[i].address - start);
		place[i].size_flags = size | describe_flags_of(module, i);
	}
	for (uint64_t i = 0; i < plan->header->owner_count; i++) {
		uint32_t function = plan->owners[i].function;

		code[i].offset = plan->owners[i].offset;
		code[i].id = function < module->count ? module->first_id + function : UINT32_MAX;
	}
}

static void describe_one(struct funcpatch_module *module)
{
	uint64_t size =
		sizeof(struct kymo_function_table) +
		module->count * sizeof(struct kymo_function_range) +
		module->applied.plan.header->owner_count * sizeof(struct kymo_function_code);
	struct kymo_chunk *chunk = kymo_sample_table(KYMO_CHUNK_FUNCTIONS, size);

	if (!chunk)
		return;
	describe_fill_table(module, (struct kymo_function_table *)(chunk + 1));
	__atomic_store_n(&chunk->used, size, __ATOMIC_RELEASE);
	module->described_start = module->start;
}

void funcpatch_modules_describe(void)
{
	for (uint32_t i = 0; i < funcpatch_module_count; i++) {
		if (!funcpatch_modules[i].is_loaded ||
		    funcpatch_modules[i].described_start == funcpatch_modules[i].start)
			continue;
		describe_one(&funcpatch_modules[i]);
		if (!funcpatch_has_noted_costs)
			funcpatch_cost_note();
		funcpatch_has_noted_costs = true;
	}
}
