/* The steps of making a plan, each of which uses what those before it stored in the maker. */
#include "patch/plan/planmake.h"

#include <stdlib.h>
#include <string.h>

#include "patch/analyse/patchprocessor.h"
#include "patch/plan/planbytes.h"
#include "patch/plan/planfunctions.h"
#include "patch/plan/planhalves.h"
#include "patch/plan/planjoin.h"
#include "patch/plan/planmaker.h"
#include "patch/plan/planaddresses.h"

#define PAGE		  4096u
#define LOWEST		  UINT64_C(0x10000) /* the kernel maps nothing below it */
/* Further away a large program would be out of reach. */
#define LARGE_PROGRAM	  (UINT64_C(64) << 20)
#define LARGE_PROGRAM_GAP (UINT64_C(1) << 30)

/* Below a library there is free space; above a program there is the heap, beyond which the code is
 * placed, or, if jumps do not reach that far, below the program. */
static uint64_t choose_address(const struct patch_module *module)
{
	const struct patch_processor *processor = module->processor;
	bool is_large = module->image_end - module->image_start > LARGE_PROGRAM;

	if (!module->is_position_dependent)
		return (module->image_start & ~(uint64_t)(PAGE - 1)) - processor->library_gap;
	if (processor->program_gap == 0)
		return LOWEST;
	return planmaker_round_up(module->image_end, PAGE) +
	       (is_large ? LARGE_PROGRAM_GAP : processor->program_gap);
}

static void planmake_find_text(const struct patch_module *module, struct plan_header *header)
{
	header->text_start = header->text_end = module->image_start;
	for (size_t i = 0, found = 0; i < module->segment_count; i++) {
		const struct patch_segment *segment = &module->segments[i];

		if (!(segment->flags & PF_X))
			continue;
		if (found++ == 0)
			header->text_start = segment->address;
		header->text_end = segment->address + segment->size;
	}
}

/* What is known before there is any code: the file's identity, and where the code will begin. */
static void planmake_begin(struct plan_maker *maker)
{
	const struct patch_module *module = maker->module;
	const uint64_t asked = maker->options->code_address;
	struct plan_header *header = &maker->header;

	maker->addresses.hot = asked ? asked : choose_address(module);

	memcpy(header->magic, PLAN_MAGIC, sizeof(header->magic));
	header->version = PLAN_VERSION;
	header->machine = module->processor->machine;
	header->cost = (uint16_t)maker->options->kind.cost;
	header->variant = maker->options->kind.variant;
	memcpy(header->build_id, module->build_id, sizeof(header->build_id));
	header->build_id_size = module->build_id_size;
	header->identity = module->identity;
	header->image_start = module->image_start;
	header->image_end = module->image_end;
	planmake_find_text(module, header);
}

/* Emit all functions, into the first half's blob in the end: shared code comes first. */
static enum kymo_status planmake_emit(struct plan_maker *maker)
{
	struct plan_blob second;
	struct plan_blob *const blobs[PLAN_HALVES] = {&maker->blob, &second};
	struct plan_emission *emission = &maker->emission;
	bool is_good = planhalves_begin(emission, maker->module);

	for (unsigned i = 0; i < PLAN_HALVES; i++) {
		planblob_init(blobs[i], maker->options->kind);
		if (i == 0 || emission->halves[i].first < emission->halves[i].end)
			maker->module->processor->emit_shared(blobs[i]);
	}
	is_good = is_good && planhalves_emit(emission, blobs, maker->module, maker->options) &&
		  planjoin(emission, blobs);
	planblob_release(&second);
	return is_good ? KYMO_OK : planmaker_no_memory(maker);
}

enum kymo_status plan_make(struct patch_module *module, const struct planmake_options *options,
			   unsigned char **bytes_out, size_t *size_out, struct problem *problem)
{
	struct plan_maker maker = {.module = module, .options = options, .problem = problem};
	enum kymo_status status;

	planmake_begin(&maker);
	status = planmake_emit(&maker);
	if (status == KYMO_OK)
		status = planfunctions_make(&maker);
	if (status == KYMO_OK)
		status = planaddresses_make(&maker);
	if (status == KYMO_OK)
		status = planbytes_make(&maker, bytes_out, size_out);
	planhalves_release(&maker.emission);
	planframes_release(&maker.frames);
	plansymbols_release(&maker.symbols);
	planblob_release(&maker.blob);
	patchloops_release(&maker.loops);
	planthrottle_release(&maker.throttle);
	free(maker.functions);
	free(maker.writes);
	free(maker.claimed);
	free(maker.fixups);
	free(maker.owners);
	free(maker.names.bytes);
	return status;
}
