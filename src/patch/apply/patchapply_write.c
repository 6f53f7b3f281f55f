/* Each function's bytes are compared with what the plan expects, and all of its writes are made or
 * none. */
#include "patch/apply/patchapply_write.h"

#include <errno.h>
#include <sys/mman.h>

#include "platform/code/codepages.h"
#include "platform/code/rawmemory.h"
#include "patch/apply/patchapply_texts.h"
#include "platform/proc/proc_file.h"

#define BYTES_PER_TAKEN 2048u /* of text per chosen function: then nearly all pages change */
#define POPULATE_WRITE	23    /* MADV_POPULATE_WRITE, since Linux 5.14 */

/* They were in progress until the text was closed. */
static uint64_t count_written(const struct patch_applied *applied, bool is_all)
{
	uint64_t count = 0;

	for (uint64_t i = 0; i < applied->plan.header->function_count; i++) {
		uint8_t *state = &applied->is_written[i];

		if (*state != PATCHAPPLY_COMING)
			continue;
		*state = is_all || texts_are_written(applied, &applied->plan.functions[i])
				 ? PATCHAPPLY_WRITTEN
				 : PATCHAPPLY_LEFT;
		count += *state == PATCHAPPLY_WRITTEN;
	}
	return count;
}

/* Every page would be copied at its first write, one page fault each: if nearly all will be written
 * the kernel copies all of them at once.  If unsupported, each is copied at its fault. */
static void write_populate(const struct patch_applied *applied, const struct texts *texts,
			   const uint8_t *choice)
{
	const uint64_t function_count = applied->plan.header->function_count;
	uint64_t taken = choice ? 0 : function_count;

	for (uint64_t i = 0; choice && i < function_count; i++)
		taken += choice[i] == CHOICE_TAKEN;
	if (taken < (texts->end - texts->start) / BYTES_PER_TAKEN)
		return;
	for (unsigned i = 0; i < texts->count; i++) {
		const struct texts_mapping *text = &texts->mapping[i];

		if ((text->protection & (PROT_WRITE | PROT_EXEC)) == PROT_EXEC)
			raw_call(SYS_madvise, (long)text->start, (long)(text->end - text->start),
				 POPULATE_WRITE);
	}
}

int patchapply_write(struct patch_applied *applied, const uint8_t *choice, bool is_alone,
		     uint64_t *count_out)
{
	const struct plan *plan = &applied->plan;
	struct texts texts;
	int result = texts_find(applied, &texts);

	if (result == 0)
		result = texts_open(&texts, is_alone);
	if (result != 0)
		return result;
	if (!applied->has_text && !texts.pages)
		write_populate(applied, &texts, choice);
	applied->has_text = false;
	for (uint64_t i = 0; i < plan->header->function_count; i++) {
		const struct plan_function *function = &plan->functions[i];

		texts_expect(applied, i);
		if (applied->is_written[i] || function->write_count == 0 ||
		    (choice && choice[i] != CHOICE_TAKEN) ||
		    !texts_can_write(applied, &texts, function))
			continue;
		texts_write(applied, &texts, function);
		applied->is_written[i] = PATCHAPPLY_COMING;
	}
	result = texts_close(&texts);
	*count_out = count_written(applied, result == 0);
	return *count_out ? 0 : result;
}

bool patchapply_is_alone(void)
{
	return proc_thread_count(PROC_SELF) == 1;
}

int patchapply_unwrite(struct patch_applied *applied)
{
	const struct plan *plan = &applied->plan;
	struct texts texts;
	int result = texts_find(applied, &texts);

	if (result == 0)
		result = texts_open(&texts, true);
	if (result != 0)
		return result;
	for (uint64_t i = 0; i < plan->header->function_count; i++) {
		bool is_out = applied->is_written[i] >= PATCHAPPLY_LIFTED;

		texts_expect(applied, i);
		if (is_out)
			applied->is_written[i] = PATCHAPPLY_LEFT;
		if (!applied->is_written[i] ||
		    !texts_are_there(applied, &texts, &plan->functions[i]) ||
		    !texts_are_written(applied, &plan->functions[i]))
			continue;
		texts_restore(applied, &texts, &plan->functions[i]);
		applied->is_written[i] = PATCHAPPLY_LEFT;
	}
	return texts_close(&texts);
}
