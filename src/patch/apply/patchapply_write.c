/* Writing the jumps into a module's text: each function's bytes are compared with what the plan
 * expects, and all of its writes are made or none. */
#include "patch/apply/patchapply_texts.h"

#include "patch/apply/patchapply.h"

#include <errno.h>
#include <sys/mman.h>

#include "patch/apply/patchapply_raw.h"
#include "patch/apply/patchmoved.h"
#include "platform/proc/proc_file.h"
#include "platform/proc/proc_maps.h"

#define AHEAD		24u /* functions whose text is asked for before it is needed */
#define AHEAD_WRITES	8u
#define BYTES_PER_TAKEN 2048u /* of text for a function that is taken: nearly all pages change */
#define POPULATE_WRITE	23    /* MADV_POPULATE_WRITE, since Linux 5.14 */

static bool write_take_mapping(const struct proc_map *mapping, const char *path, void *context)
{
	struct texts *texts = context;
	struct texts_mapping *kept = &texts->mapping[texts->count];

	(void)path;
	if (mapping->start >= texts->end)
		return false;
	if (mapping->end <= texts->start)
		return true;
	if (texts->count == TEXTS_MAX) {
		texts->is_too_many = true;
		return false;
	}
	kept->start = mapping->start > texts->start ? mapping->start : texts->start;
	kept->end = mapping->end < texts->end ? mapping->end : texts->end;
	kept->protection = mapping->protection;
	if (mapping->is_shared)
		kept->protection &= ~PROT_EXEC;
	texts->count++;
	return true;
}

/* Segments need not begin on a page (lld's do not); what the kernel protects does. */
int texts_find_at(uint64_t address, uint64_t size, struct texts *texts)
{
	int result;

	texts->start = address & ~(uint64_t)(TEXTS_PAGE - 1);
	texts->end = address + size;
	texts->count = 0;
	texts->is_too_many = false;
	result = proc_maps_each(PROC_SELF, NULL, 0, write_take_mapping, texts);
	return result == 0 && texts->is_too_many ? E2BIG : result;
}

int texts_find(const struct patch_applied *applied, struct texts *texts)
{
	const struct plan_header *header = applied->plan.header;

	return texts_find_at(header->text_start + applied->bias,
			     header->text_end - header->text_start, texts);
}

bool texts_are_code(const struct texts *texts, uint64_t address, uint64_t size)
{
	for (unsigned i = 0; i < texts->count; i++) {
		const struct texts_mapping *text = &texts->mapping[i];

		if (address >= text->start && address < text->end)
			return (text->protection & PROT_EXEC) && size <= text->end - address;
	}
	return false;
}

/* The bytes of a write are carried in one word, the first the lowest: so a function takes few
 * instructions, and waits for nothing but its text. */
static uint64_t write_bytes_at(const unsigned char *at, unsigned size)
{
	uint64_t bytes = 0;

	if (size == PLAN_PATCH_MAX)
		return raw_word(at) | (uint64_t)at[4] << 32;
	for (unsigned i = 0; i < size; i++)
		bytes |= (uint64_t)at[i] << 8 * i;
	return bytes;
}

/* The bytes of a write as they are to be in this process. */
static uint64_t bytes_after(const struct patch_applied *applied, const struct plan_write *write)
{
	const uint16_t machine = applied->plan.header->machine;
	uint64_t bytes = write_bytes_at(write->after, write->size), moved;
	unsigned shift = 8u * write->distance_at;

	if (applied->moved == 0 || (machine != EM_AARCH64 && shift == 0) ||
	    write->distance_at > PLAN_PATCH_MAX - sizeof(uint32_t))
		return bytes;
	moved = moved_word(machine, (uint32_t)(bytes >> shift), applied->moved);
	return (bytes & ~((uint64_t)UINT32_MAX << shift)) | moved << shift;
}

static unsigned char *write_place_of(const struct patch_applied *applied,
				     const struct plan_write *write)
{
	return (unsigned char *)(uintptr_t)(plan_write_address(applied->plan.header, write) +
					    applied->bias);
}

void texts_expect(const struct patch_applied *applied, uint64_t index)
{
	const struct plan_function *function = &applied->plan.functions[index + AHEAD];
	const struct plan_write *write;

	if (index + AHEAD >= applied->plan.header->function_count)
		return;
	write = applied->plan.writes + function->first_write;
	for (unsigned i = 0; i < function->write_count && i < AHEAD_WRITES; i++)
		__builtin_prefetch(write_place_of(applied, &write[i]), 1);
}

/* What is to be written, or was, may have been unloaded since. */
static bool write_is_there(const struct patch_applied *applied, const struct texts *texts,
			   const struct plan_function *function)
{
	const struct plan_write *write = applied->plan.writes + function->first_write;

	for (unsigned i = 0; i < function->write_count; i++, write++)
		if (!texts_are_code(texts, (uint64_t)(uintptr_t)write_place_of(applied, write),
				    write->size))
			return false;
	return true;
}

bool texts_can_write(const struct patch_applied *applied, const struct texts *texts,
		     const struct plan_function *function)
{
	const struct plan_write *write = applied->plan.writes + function->first_write;

	if (!write_is_there(applied, texts, function))
		return false;
	for (unsigned i = 0; i < function->write_count; i++, write++)
		if (write->size > PLAN_PATCH_MAX ||
		    write_bytes_at(write_place_of(applied, write), write->size) !=
			    write_bytes_at(write->before, write->size))
			return false;
	return true;
}

void texts_write(const struct patch_applied *applied, struct texts *texts,
		 const struct plan_function *function)
{
	const struct plan_write *write = applied->plan.writes + function->first_write;

	for (unsigned i = 0; i < function->write_count; i++, write++)
		texts_put(texts, (uint64_t)(uintptr_t)write_place_of(applied, write),
			  bytes_after(applied, write), write->size);
}

/* They were on their way until the text was closed. */
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

/* Every page would be copied at its first write, one exception each: have the kernel copy all
 * of them at once where nearly all will be written.  Where it cannot, they are met one by one. */
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

bool texts_are_written(const struct patch_applied *applied, const struct plan_function *function)
{
	const struct plan_write *write = applied->plan.writes + function->first_write;

	for (unsigned i = 0; i < function->write_count; i++, write++)
		if (write_bytes_at(write_place_of(applied, write), write->size) !=
		    bytes_after(applied, write))
			return false;
	return true;
}

void texts_take_back(const struct patch_applied *applied, struct texts *texts,
		     const struct plan_function *function)
{
	const struct plan_write *write = applied->plan.writes + function->first_write;

	for (unsigned i = 0; i < function->write_count; i++, write++)
		texts_put(texts, (uint64_t)(uintptr_t)write_place_of(applied, write),
			  write_bytes_at(write->before, write->size), write->size);
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
		    !write_is_there(applied, &texts, &plan->functions[i]) ||
		    !texts_are_written(applied, &plan->functions[i]))
			continue;
		texts_take_back(applied, &texts, &plan->functions[i]);
		applied->is_written[i] = PATCHAPPLY_LEFT;
	}
	return texts_close(&texts);
}
