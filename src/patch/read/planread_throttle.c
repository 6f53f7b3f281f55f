/* Reading a plan: copies of functions, and the calls that may be redirected to them. */
#include "patch/read/planread_throttle.h"

#define LINE_BYTES     64u
#define DISTANCE_BYTES 4u

/* Its distance can be changed while threads run there. */
static bool is_call_good(const struct plan_header *header, const struct plan_call *call)
{
	uint64_t text = header->text_end - header->text_start, at = call->distance_at;

	return at >= 1 && at < text && text - at >= DISTANCE_BYTES &&
	       (header->text_start + at) % LINE_BYTES <= LINE_BYTES - DISTANCE_BYTES;
}

static bool is_copy_good(const struct plan *plan, uint64_t index, uint64_t next_call)
{
	const struct plan_header *header = plan->header;
	const struct plan_copy *copy = &plan->copies[index];

	return (index == 0 || plan->copies[index - 1].function < copy->function) &&
	       copy->function < header->function_count && header->code_size >= DISTANCE_BYTES &&
	       copy->code <= copy->counter_at &&
	       copy->counter_at <= header->code_size - DISTANCE_BYTES &&
	       copy->first_call == next_call && copy->call_count <= header->call_count - next_call;
}

bool planread_throttle(const struct plan *plan)
{
	const struct plan_header *header = plan->header;
	uint64_t next = 0;

	if (!(header->variant & PLAN_VARIANT_THROTTLE))
		return header->copy_count == 0 && header->call_count == 0;
	for (uint64_t i = 0; i < header->copy_count; i++) {
		if (!is_copy_good(plan, i, next))
			return false;
		next += plan->copies[i].call_count;
	}
	for (uint64_t i = 0; i < header->call_count; i++)
		if (!is_call_good(header, &plan->calls[i]))
			return false;
	return next == header->call_count;
}
