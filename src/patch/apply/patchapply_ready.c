/* Takes the page faults and copies of a later write in advance, while the program runs.  The text
 * is not changed here: another thread may be changing its protection. */
#include "patch/apply/patchapply_ready.h"

#include "platform/code/rawmemory.h"

#define PAGE	       4096u
#define POPULATE_READ  22 /* since Linux 5.14 */
#define POPULATE_WRITE 23

static void ready(const void *start, uint64_t size, int advice)
{
	uint64_t first = (uint64_t)(uintptr_t)start & ~(uint64_t)(PAGE - 1);
	uint64_t end = (uint64_t)(uintptr_t)start + size;

	raw_call(SYS_madvise, (long)first, (long)(end - first), advice);
}

void patchapply_ready(struct patch_applied *applied, bool has_text)
{
	const struct plan *plan = &applied->plan;

	ready(plan->functions, plan->header->function_count * sizeof(*plan->functions),
	      POPULATE_READ);
	ready(plan->writes, plan->header->write_count * sizeof(*plan->writes), POPULATE_READ);
	ready(applied->is_written, plan->header->function_count, POPULATE_WRITE);
	applied->has_text = has_text;
}
