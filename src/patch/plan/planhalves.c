/* Each half has code of its own that all its functions use, and so leads nowhere else: its code is
 * put behind the other's, and the offsets in it move along. */
#include "patch/plan/planhalves.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "patch/analyse/patchprocessor.h"

#define HALVES		  2u
#define FUNCTIONS_FOR_TWO 512u /* fewer are not worth a thread */
#define HOT_BYTES	  224u /* about what there will be, so that little is copied … */
#define COLD_BYTES	  32u  /* … while it grows */
#define PAGE		  4096u

struct half { /* functions [first, end) */
	struct plan_blob *blob, own;
	struct patch_module *module;
	const struct planmake_options *options;
	struct plan_emitted *emitted; /* of all functions */
	uint32_t first, end;
	struct plan_jump *jumps;
	size_t jump_count, jump_capacity;
	struct plan_function_code code;
	pthread_t thread;
};

/* Counted calls are called through when they are timed: then untimed ones, most of them, need
 * nothing at their ends.  A function that ends in another one, by a jump, would return there with
 * that: its own end is the jump, which has to be patched. */
static enum plan_way first_way(const struct planmake_options *options,
			       const struct patch_function *function)
{
	struct plan_kind kind = options->kind;

	if (function->way == PLAN_WAY_EXITS && function->is_callable &&
	    !function->ends_in_function && !options->no_calls && kind.cost == PATCH_COST_COUNTS &&
	    !(kind.variant & PLAN_VARIANT_EXITS))
		return PLAN_WAY_CALL;
	if (function->way == PLAN_WAY_CALL && options->no_calls)
		return PLAN_WAY_ENTRIES;
	return function->way;
}

/* What is left when a function's exits, or all of it, cannot be done. */
static enum plan_way next_way(const struct planmake_options *options, enum plan_way way,
			      bool is_entry)
{
	if (way == PLAN_WAY_EXITS && !is_entry)
		return options->no_calls ? PLAN_WAY_ENTRIES : PLAN_WAY_CALL;
	return PLAN_WAY_NONE;
}

/* The function's code, recorded that way, at the end of the blob; false: nothing is left in it. */
static bool emit_as(struct half *half, uint32_t index, enum plan_way way, bool *is_entry_out)
{
	struct plan_job job = {.hot = {half->blob, false},
			       .cold = {half->blob, true},
			       .module = half->module,
			       .function = &half->module->functions[index],
			       .index = index,
			       .way = way,
			       .code = &half->code};
	struct plan_state state;

	half->code.jump_count = 0;
	planblob_begin(half->blob, &state);
	if (half->module->processor->emit_function(&job, is_entry_out)) {
		planblob_end(half->blob, &state, index);
		return true;
	}
	planblob_back(half->blob, &state);
	half->code.jump_count = 0;
	return false;
}

static void plan_planhalves_emit(struct half *half, uint32_t index)
{
	const struct patch_function *function = &half->module->functions[index];
	struct plan_emitted *emitted = &half->emitted[index];
	enum plan_way way = first_way(half->options, function);
	struct plan_jump *jumps;
	bool is_entry;

	emitted->reason = (uint8_t)function->reason;
	while (planhalves_has_code(way)) {
		if (emit_as(half, index, way, &is_entry))
			break;
		emitted->reason = PLAN_NOT_MOVABLE;
		way = next_way(half->options, way, is_entry);
	}
	emitted->way = (uint8_t)way;
	if (!planhalves_has_code(way))
		return;
	jumps = array_grow(half->jumps, &half->jump_capacity,
			   half->jump_count + half->code.jump_count, sizeof(*jumps));
	if (!jumps) {
		half->blob->is_failed = true;
		return;
	}
	half->jumps = jumps;
	memcpy(jumps + half->jump_count, half->code.jumps, half->code.jump_count * sizeof(*jumps));
	emitted->body = half->code.body;
	emitted->first_jump = (uint32_t)half->jump_count;
	emitted->jump_count = half->code.jump_count;
	half->jump_count += half->code.jump_count;
}

static uint32_t most_exits(const struct half *half)
{
	uint32_t most = 0;

	for (uint32_t i = half->first; i < half->end; i++)
		if (half->module->functions[i].exit_count > most)
			most = half->module->functions[i].exit_count;
	return most;
}

static void *emit_half(void *context)
{
	struct half *half = context;
	size_t count = half->end - half->first;

	half->code.jumps = calloc((size_t)most_exits(half) + 1, sizeof(*half->code.jumps));
	if (!half->code.jumps) {
		half->blob->is_failed = true;
		return NULL;
	}
	planblob_room(half->blob, false, count * HOT_BYTES + PAGE);
	planblob_room(half->blob, true, count * COLD_BYTES + PAGE);
	half->module->processor->emit_shared(half->blob);
	for (uint32_t i = half->first; i < half->end && !half->blob->is_failed; i++)
		plan_planhalves_emit(half, i);
	free(half->code.jumps);
	return NULL;
}

static void planhalves_begin(struct half *halves, struct plan_blob *blob,
			     struct patch_module *module, const struct planmake_options *options,
			     struct plan_emitted *emitted)
{
	uint32_t count = (uint32_t)module->function_count;
	uint32_t middle = count < FUNCTIONS_FOR_TWO ? count : count / 2;

	for (unsigned i = 0; i < HALVES; i++) {
		halves[i] = (struct half){.module = module,
					  .options = options,
					  .emitted = emitted,
					  .first = i ? middle : 0,
					  .end = i ? count : middle};
		planblob_init(&halves[i].own, options->kind);
		halves[i].blob = i ? &halves[i].own : blob;
	}
}

static void planhalves_run(struct half *halves)
{
	struct half *second = &halves[1];
	bool is_started = second->first < second->end &&
			  pthread_create(&second->thread, NULL, emit_half, second) == 0;

	emit_half(&halves[0]);
	if (is_started)
		pthread_join(second->thread, NULL);
	else if (second->first < second->end)
		emit_half(second);
}

static bool planhalves_join(struct plan_blob *blob, struct half *halves, struct plan_emission *out)
{
	struct half *second = &halves[1];
	size_t count = halves[0].jump_count, hot;

	out->jumps = malloc((count + second->jump_count + 1) * sizeof(*out->jumps));
	if (!out->jumps)
		return false;
	hot = planblob_append(blob, &second->own);
	if (count > 0)
		memcpy(out->jumps, halves[0].jumps, count * sizeof(*out->jumps));
	for (size_t i = 0; i < second->jump_count; i++) {
		out->jumps[count + i] = second->jumps[i];
		out->jumps[count + i].hot += (uint32_t)hot;
	}
	for (uint32_t i = second->first; i < second->end; i++) {
		out->functions[i].first_jump += (uint32_t)count;
		out->functions[i].body += (uint32_t)hot;
	}
	return !blob->is_failed;
}

bool planhalves_emit(struct plan_blob *blob, struct patch_module *module,
		     const struct planmake_options *options, struct plan_emission *out)
{
	struct half halves[HALVES];
	bool is_good;

	out->jumps = NULL;
	out->functions = calloc(module->function_count + 1, sizeof(*out->functions));
	if (!out->functions)
		return false;
	planhalves_begin(halves, blob, module, options, out->functions);
	planhalves_run(halves);
	is_good = planhalves_join(blob, halves, out);
	for (unsigned i = 0; i < HALVES; i++) {
		free(halves[i].jumps);
		planblob_release(&halves[i].own);
	}
	return is_good;
}

void planhalves_release(struct plan_emission *emission)
{
	free(emission->functions);
	free(emission->jumps);
	emission->functions = NULL;
	emission->jumps = NULL;
}
