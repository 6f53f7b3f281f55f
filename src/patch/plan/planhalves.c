/* Each function gets its preferred way, or the next one if that is not possible. */
#include "patch/plan/planhalves.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "patch/analyse/patchprocessor.h"

#define FUNCTIONS_FOR_TWO 512u /* with fewer a thread does not pay */
#define HOT_BYTES	  224u /* estimates per function, so that little is copied … */
#define COLD_BYTES	  32u  /* … while buffers grow */
#define PAGE		  4096u

struct emitting { /* of one half, by one thread */
	struct plan_half *half;
	struct plan_blob *blob;
	struct patch_module *module;
	const struct planmake_options *options;
	struct plan_emitted *emitted; /* of all functions */
	struct plan_function_code code;
	pthread_t thread;
};

/* Counted calls are called through when they are timed: untimed ones, most of them, then need
 * nothing at their ends.  A function that may end in a jump to another one would return there with
 * the call-through's return address: its own end is the jump, which has to be patched. */
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

/* The next possibility when a function's exits, or all of it, cannot be done. */
static enum plan_way next_way(const struct planmake_options *options, enum plan_way way,
			      bool is_entry)
{
	if (way == PLAN_WAY_EXITS && !is_entry)
		return options->no_calls ? PLAN_WAY_ENTRIES : PLAN_WAY_CALL;
	return PLAN_WAY_NONE;
}

/* Append the function's code, recorded that way, to the blob; false: nothing of it remains. */
static bool emit_as(struct emitting *emitting, uint32_t index, enum plan_way way,
		    bool *is_entry_out)
{
	struct plan_job job = {.hot = {emitting->blob, false},
			       .cold = {emitting->blob, true},
			       .module = emitting->module,
			       .function = &emitting->module->functions[index],
			       .index = index,
			       .way = way,
			       .code = &emitting->code};
	struct plan_state state;

	emitting->code.jump_count = 0;
	emitting->code.nop_bytes = 0;
	planblob_begin(emitting->blob, &state);
	if (emitting->module->processor->emit_function(&job, is_entry_out)) {
		planblob_end(emitting->blob, &state, index);
		return true;
	}
	planblob_back(emitting->blob, &state);
	emitting->code.jump_count = 0;
	return false;
}

/* Store the offset of the code, and its jumps. */
static void keep_code(struct emitting *emitting, struct plan_emitted *emitted)
{
	const struct plan_function_code *code = &emitting->code;
	struct plan_half *half = emitting->half;
	struct plan_jump *jumps = array_grow(half->jumps, &half->jump_capacity,
					     half->jump_count + code->jump_count, sizeof(*jumps));

	if (!jumps) {
		emitting->blob->is_failed = true;
		return;
	}
	half->jumps = jumps;
	memcpy(jumps + half->jump_count, code->jumps, code->jump_count * sizeof(*jumps));
	emitted->body = code->body;
	emitted->first_jump = (uint32_t)half->jump_count;
	emitted->jump_count = code->jump_count;
	emitted->nop_bytes = code->nop_bytes;
	memcpy(emitted->nop, code->nop, sizeof(emitted->nop));
	half->jump_count += code->jump_count;
}

static void planhalves_emit_function(struct emitting *emitting, uint32_t index)
{
	const struct patch_function *function = &emitting->module->functions[index];
	struct plan_emitted *emitted = &emitting->emitted[index];
	enum plan_way way = first_way(emitting->options, function);
	bool is_entry;

	emitted->reason = (uint8_t)function->reason;
	while (planemission_has_code(way)) {
		if (emit_as(emitting, index, way, &is_entry))
			break;
		emitted->reason = PLAN_NOT_MOVABLE;
		way = next_way(emitting->options, way, is_entry);
	}
	emitted->way = (uint8_t)way;
	if (planemission_has_code(way))
		keep_code(emitting, emitted);
}

static uint32_t most_exits(const struct emitting *emitting)
{
	uint32_t most = 0;

	for (uint32_t i = emitting->half->first; i < emitting->half->end; i++)
		if (emitting->module->functions[i].exit_count > most)
			most = emitting->module->functions[i].exit_count;
	return most;
}

static void *emit_half(void *context)
{
	struct emitting *emitting = context;
	const struct plan_half *half = emitting->half;
	size_t count = half->end - half->first;

	emitting->code.jumps =
		calloc((size_t)most_exits(emitting) + 1, sizeof(*emitting->code.jumps));
	if (!emitting->code.jumps) {
		emitting->blob->is_failed = true;
		return NULL;
	}
	planblob_reserve(emitting->blob, false, count * HOT_BYTES + PAGE);
	planblob_reserve(emitting->blob, true, count * COLD_BYTES + PAGE);
	for (uint32_t i = half->first; i < half->end && !emitting->blob->is_failed; i++)
		planhalves_emit_function(emitting, i);
	free(emitting->code.jumps);
	return NULL;
}

bool planhalves_begin(struct plan_emission *emission, const struct patch_module *module)
{
	uint32_t count = (uint32_t)module->function_count;
	uint32_t middle = count < FUNCTIONS_FOR_TWO ? count : count / 2;

	emission->halves[0].end = emission->halves[1].first = middle;
	emission->halves[1].end = count;
	emission->functions = calloc(module->function_count + 1, sizeof(*emission->functions));
	return emission->functions != NULL;
}

bool planhalves_emit(struct plan_emission *emission, struct plan_blob *const blobs[PLAN_HALVES],
		     struct patch_module *module, const struct planmake_options *options)
{
	struct emitting emitting[PLAN_HALVES], *second = &emitting[1];
	bool has_second, is_started;

	for (unsigned i = 0; i < PLAN_HALVES; i++)
		emitting[i] = (struct emitting){.half = &emission->halves[i],
						.blob = blobs[i],
						.module = module,
						.options = options,
						.emitted = emission->functions};
	has_second = second->half->first < second->half->end;
	is_started = has_second && pthread_create(&second->thread, NULL, emit_half, second) == 0;
	emit_half(&emitting[0]);
	if (is_started)
		pthread_join(second->thread, NULL);
	else if (has_second)
		emit_half(second);
	return !blobs[0]->is_failed && !blobs[1]->is_failed;
}

void planhalves_release(struct plan_emission *emission)
{
	for (unsigned i = 0; i < PLAN_HALVES; i++)
		free(emission->halves[i].jumps);
	free(emission->functions);
	free(emission->jumps);
	*emission = (struct plan_emission){0};
}
