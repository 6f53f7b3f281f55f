/* Which mappings are executable, and the bytes of a function's writes before and after. */
#include "patch/apply/patchapply_texts.h"

#include <errno.h>
#include <sys/mman.h>

#include "platform/code/rawmemory.h"
#include "patch/apply/patchmoved.h"

#define AHEAD	     24u /* functions whose text is prefetched */
#define AHEAD_WRITES 8u

int texts_find(const struct patch_applied *applied, struct texts *texts)
{
	const struct plan_header *header = applied->plan.header;

	return texts_find_at(header->text_start + applied->bias,
			     header->text_end - header->text_start, texts);
}

/* The bytes of a write are held in one word, the first the lowest: a function then takes few
 * instructions, and waits only for its text. */
static uint64_t texts_bytes_at(const unsigned char *at, unsigned size)
{
	uint64_t bytes = 0;

	if (size == PLAN_PATCH_MAX)
		return raw_word(at) | (uint64_t)at[4] << 32;
	for (unsigned i = 0; i < size; i++)
		bytes |= (uint64_t)at[i] << 8 * i;
	return bytes;
}

/* The bytes of a write, relocated for this process. */
static uint64_t bytes_after(const struct patch_applied *applied, const struct plan_write *write)
{
	const uint16_t machine = applied->plan.header->machine;
	uint64_t bytes = texts_bytes_at(write->after, write->size), moved;
	unsigned shift = 8u * write->distance_at;

	if (applied->moved == 0 || (machine != EM_AARCH64 && shift == 0) ||
	    write->distance_at > PLAN_PATCH_MAX - sizeof(uint32_t))
		return bytes;
	moved = moved_word(machine, (uint32_t)(bytes >> shift), applied->moved);
	return (bytes & ~((uint64_t)UINT32_MAX << shift)) | moved << shift;
}

static unsigned char *texts_place_of(const struct patch_applied *applied,
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
		__builtin_prefetch(texts_place_of(applied, &write[i]), 1);
}

bool texts_are_there(const struct patch_applied *applied, const struct texts *texts,
		     const struct plan_function *function)
{
	const struct plan_write *write = applied->plan.writes + function->first_write;

	for (unsigned i = 0; i < function->write_count; i++, write++)
		if (!texts_are_code(texts, (uint64_t)(uintptr_t)texts_place_of(applied, write),
				    write->size))
			return false;
	return true;
}

bool texts_can_write(const struct patch_applied *applied, const struct texts *texts,
		     const struct plan_function *function)
{
	const struct plan_write *write = applied->plan.writes + function->first_write;

	if (!texts_are_there(applied, texts, function))
		return false;
	for (unsigned i = 0; i < function->write_count; i++, write++)
		if (write->size > PLAN_PATCH_MAX ||
		    texts_bytes_at(texts_place_of(applied, write), write->size) !=
			    texts_bytes_at(write->before, write->size))
			return false;
	return true;
}

void texts_write(const struct patch_applied *applied, struct texts *texts,
		 const struct plan_function *function)
{
	const struct plan_write *write = applied->plan.writes + function->first_write;

	for (unsigned i = 0; i < function->write_count; i++, write++)
		texts_put(texts, (uint64_t)(uintptr_t)texts_place_of(applied, write),
			  bytes_after(applied, write), write->size);
}

bool texts_are_written(const struct patch_applied *applied, const struct plan_function *function)
{
	const struct plan_write *write = applied->plan.writes + function->first_write;

	for (unsigned i = 0; i < function->write_count; i++, write++)
		if (texts_bytes_at(texts_place_of(applied, write), write->size) !=
		    bytes_after(applied, write))
			return false;
	return true;
}

void texts_restore(const struct patch_applied *applied, struct texts *texts,
		   const struct plan_function *function)
{
	const struct plan_write *write = applied->plan.writes + function->first_write;

	for (unsigned i = 0; i < function->write_count; i++, write++)
		texts_put(texts, (uint64_t)(uintptr_t)texts_place_of(applied, write),
			  texts_bytes_at(write->before, write->size), write->size);
}
