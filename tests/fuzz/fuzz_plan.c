/* Reading plans: from anywhere, and with a checksum that is right, so that what is behind it
 * is reached.  What is taken must be good to use without another check. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "patch/plan/plan.h"
#include "patch/read/planread.h"
#include "patch/read/planreadreason.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static volatile uint64_t sink; /* so that reads are made */

static void use(const struct plan *plan)
{
	const struct plan_header *header = plan->header;
	uint64_t sum = 0;

	for (uint64_t i = 0; i < header->function_count; i++) {
		const struct plan_function *function = &plan->functions[i];

		sum += strlen(plan->names + function->name);
		sum += strlen(plan_reason_text(function->reason));
		for (unsigned k = 0; k < function->write_count; k++)
			sum += plan->writes[function->first_write + k].after[0];
	}
	for (uint64_t i = 0; i < header->fixup_count; i++)
		sum += plan->code[plan->fixups[i]] + plan->code[plan->fixups[i] + 3];
	for (uint64_t i = 0; i < header->copy_count; i++) {
		const struct plan_copy *copy = &plan->copies[i];

		sum += plan->functions[copy->function].address + plan->code[copy->code] +
		       plan->code[copy->counter_at + 3];
		for (uint32_t k = 0; k < copy->call_count; k++)
			sum += plan->calls[copy->first_call + k].distance_at;
	}
	for (uint64_t i = 0; i < header->code_size; i += 64)
		sum += plan->code[i];
	if (header->frames_size > 0)
		sum += plan->frames[header->frames_size - 1];
	if (header->header_size > 0)
		sum += plan->frames_header[header->header_size - 1];
	sink = sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct plan_header *header;
	struct plan plan;
	uint8_t *copy;

	copy = aligned_alloc(64, size + 64 - size % 64);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	if (plan_read(copy, size, false, &plan))
		use(&plan);
	if (plan_read(copy, size, true, &plan))
		use(&plan);
	header = (struct plan_header *)copy;
	if (size >= sizeof(*header) && header->size >= sizeof(*header) && header->size <= size) {
		header->version = PLAN_VERSION; /* kept inputs are of use with the next, too */
		header->checksum = plan_checksum(copy, (size_t)header->size);
		if (plan_read(copy, size, false, &plan))
			use(&plan);
	}
	free(copy);
	return 0;
}
