/* The addresses of a plan's code and tables, and what depends on them: distances, unwind tables. */
#include "patch/plan/planaddresses.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "patch/analyse/patchprocessor.h"
#include "patch/plan/planmaker.h"

#define PAGE		  4096u
#define SECTION_ALIGN	  16u
#define FUNCTIONS_FOR_TWO 512u /* threads: with fewer a second one does not pay */

/* Which function code belongs to; the cold stretch belongs to several. */
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

/* The addresses of the parts, which all distances depend on. */
static uint64_t choose_addresses(struct plan_maker *maker)
{
	struct plan_header *header = &maker->header;
	struct plan_blob *blob = &maker->blob;
	uint64_t hot = planmaker_round_up(blob->hot.size, SECTION_ALIGN);

	header->code_address = maker->addresses.hot;
	header->code_size = planmaker_round_up(hot + blob->cold.size, PAGE);
	header->vector_address = header->code_address + header->code_size;
	header->switch_address = header->vector_address + PATCH_SWITCH_DISTANCE;
	header->frames_address = header->switch_address + PATCH_SWITCH_SIZE;
	maker->addresses.cold = maker->addresses.hot + hot;
	maker->addresses.vector = header->vector_address;
	maker->addresses.gate = header->switch_address;
	return hot;
}

static uint64_t planaddresses_of(const struct plan_link *link,
				 const struct plan_addresses *addresses)
{
	switch ((enum plan_to)link->to) {
	case PLAN_TO_HOT:
		return addresses->hot + link->target;
	case PLAN_TO_COLD:
		return addresses->cold + link->target;
	case PLAN_TO_VECTOR:
		return addresses->vector + link->target;
	case PLAN_TO_SWITCH:
		return addresses->gate + link->target;
	case PLAN_TO_FILE:
		break;
	}
	return link->target;
}

static bool set_distance(const struct plan_link *link, uint8_t *bytes, uint64_t address,
			 uint64_t target)
{
	int64_t distance = (int64_t)(target - (address + link->behind));

	if (distance != (int32_t)distance)
		return false;
	memcpy(bytes, &(int32_t){(int32_t)distance}, 4);
	return true;
}

size_t planaddresses_resolve(struct plan_blob *blob, const struct plan_addresses *addresses,
			     planaddresses_set_fn set, uint32_t *fixups_out)
{
	size_t count = 0;

	/* The hot stretch first: fixups are in ascending order. */
	for (unsigned cold = 0; cold < 2; cold++)
		for (size_t i = 0; i < blob->link_count; i++) {
			const struct plan_link *link = &blob->links[i];
			planaddresses_set_fn fill =
				link->form == PLAN_FORM_DISTANCE ? set_distance : set;
			uint64_t base = cold ? addresses->cold : addresses->hot;
			uint8_t *bytes = cold ? blob->cold.bytes : blob->hot.bytes;

			if (link->is_cold != (cold != 0))
				continue;
			if (!fill || !fill(link, bytes + link->at, base + link->at,
					   planaddresses_of(link, addresses)))
				return SIZE_MAX;
			/* The offset within a page does not change when whole pages are moved. */
			if (link->to == PLAN_TO_FILE && link->form != PLAN_FORM_LOW)
				fixups_out[count++] = (uint32_t)(base - addresses->hot) + link->at;
		}
	return count;
}

struct framing { /* the unwind tables, made by a thread of their own */
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
		planframes_make(&maker->blob, maker->module, &maker->addresses,
				maker->header.frames_address, &maker->frames, &framing->problem);
	return NULL;
}

/* The code and its distances, which the unwind tables do not depend on. */
static enum kymo_status planaddresses_fill(struct plan_maker *maker, uint64_t hot)
{
	struct plan_blob *blob = &maker->blob;

	maker->fixups = calloc(blob->link_count + 1, sizeof(*maker->fixups));
	plansymbols_make(&maker->symbols, blob, maker->functions, (const char *)maker->names.bytes,
			 hot);
	if (!maker->fixups || !make_owners(maker, hot) || blob->is_failed ||
	    maker->symbols.is_failed)
		return planmaker_no_memory(maker);
	maker->fixup_count = planaddresses_resolve(blob, &maker->addresses,
						   maker->module->processor->link, maker->fixups);
	if (maker->fixup_count == SIZE_MAX)
		return problem_set(maker->problem, KYMO_UNAVAILABLE,
				   "'%s' is too large for jumps between its ends",
				   maker->module->path);
	return KYMO_OK;
}

enum kymo_status planaddresses_make(struct plan_maker *maker)
{
	struct framing framing = {.maker = maker};
	uint64_t hot = choose_addresses(maker);
	enum kymo_status status;

	framing.is_started = maker->module->function_count >= FUNCTIONS_FOR_TWO &&
			     pthread_create(&framing.thread, NULL, make_frames, &framing) == 0;
	status = planaddresses_fill(maker, hot);
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
