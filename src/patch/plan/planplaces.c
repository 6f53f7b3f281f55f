/* Where a plan's code and tables lie, and what depends on that: distances, unwind tables. */
#include "patch/plan/planmaker.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "patch/analyse/patchprocessor.h"

#define PAGE		  4096u
#define SECTION_ALIGN	  16u
#define FUNCTIONS_FOR_TWO 512u		    /* threads: fewer are not worth it */
#define LOWEST		  UINT64_C(0x10000) /* below it the kernel maps nothing */
/* A program that is large itself would be out of reach further away. */
#define LARGE_PROGRAM	  (UINT64_C(64) << 20)
#define LARGE_PROGRAM_GAP (UINT64_C(1) << 30)

/* Below a library there is room of its own; the heap grows above a program, or, where jumps do
 * not reach beyond it, there is room below. */
static uint64_t choose_place(const struct patch_module *module)
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

static void planplaces_find_text(const struct patch_module *module, struct plan_header *header)
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

void planmaker_begin(struct plan_maker *maker)
{
	const struct patch_module *module = maker->module;
	const uint64_t asked = maker->options->code_address;
	struct plan_header *header = &maker->header;

	maker->places.hot = asked ? asked : choose_place(module);

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
	planplaces_find_text(module, header);
}

/* Whose the code is; the cold stretch is everybody's. */
static bool make_owners(struct plan_maker *maker, uint64_t cold)
{
	const struct plan_blob *blob = &maker->blob;

	maker->owners = malloc((blob->extent_count + 1) * sizeof(*maker->owners));
	if (!maker->owners)
		return false;
	for (size_t i = 0; i < blob->extent_count; i++)
		maker->owners[i] =
			(struct plan_owner){blob->extents[i].start, blob->extents[i].function};
	maker->owners[blob->extent_count] = (struct plan_owner){(uint32_t)cold, PLAN_SHARED_CODE};
	return true;
}

/* Where the parts lie, which all distances depend on. */
static uint64_t choose_places(struct plan_maker *maker)
{
	struct plan_header *header = &maker->header;
	struct plan_blob *blob = &maker->blob;
	uint64_t hot = planmaker_round_up(blob->hot.size, SECTION_ALIGN);

	header->code_address = maker->places.hot;
	header->code_size = planmaker_round_up(hot + blob->cold.size, PAGE);
	header->vector_address = header->code_address + header->code_size;
	header->switch_address = header->vector_address + PATCH_SWITCH_DISTANCE;
	header->frames_address = header->switch_address + PATCH_SWITCH_SIZE;
	maker->places.cold = maker->places.hot + hot;
	maker->places.vector = header->vector_address;
	maker->places.gate = header->switch_address;
	return hot;
}

struct framing { /* the unwind tables, by a thread of their own */
	struct plan_maker *maker;
	struct problem problem;
	enum kymo_status status;
	bool is_started;
	pthread_t thread;
};

static void *make_frames(void *context)
{
	struct framing *framing = context;
	struct plan_maker *maker = framing->maker;

	framing->status =
		planframes_make(&maker->blob, maker->module, &maker->places,
				maker->header.frames_address, &maker->frames, &framing->problem);
	return NULL;
}

/* What is in the code, and its distances: nothing that the unwind tables are made of. */
static enum kymo_status planplaces_resolve(struct plan_maker *maker, uint64_t hot)
{
	struct plan_blob *blob = &maker->blob;

	maker->fixups = calloc(blob->link_count + 1, sizeof(*maker->fixups));
	plansymbols_make(&maker->symbols, blob, maker->functions, (const char *)maker->names.bytes,
			 hot);
	if (!maker->fixups || !make_owners(maker, hot) || blob->is_failed ||
	    maker->symbols.is_failed)
		return planmaker_no_memory(maker);
	maker->fixup_count = planblob_resolve(blob, &maker->places, maker->module->processor->link,
					      maker->fixups);
	if (maker->fixup_count == SIZE_MAX)
		return problem_set(maker->problem, KYMO_UNAVAILABLE,
				   "'%s' is too large for jumps between its ends",
				   maker->module->path);
	return KYMO_OK;
}

enum kymo_status planmaker_place(struct plan_maker *maker)
{
	struct framing framing = {.maker = maker};
	uint64_t hot = choose_places(maker);
	enum kymo_status status;

	framing.is_started = maker->module->function_count >= FUNCTIONS_FOR_TWO &&
			     pthread_create(&framing.thread, NULL, make_frames, &framing) == 0;
	status = planplaces_resolve(maker, hot);
	if (framing.is_started)
		pthread_join(framing.thread, NULL);
	else
		make_frames(&framing);
	if (status == KYMO_OK && framing.status != KYMO_OK) {
		status = framing.status;
		*maker->problem = framing.problem;
	}
	return status;
}
