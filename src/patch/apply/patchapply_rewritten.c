/* Serving a file that was rewritten on disk: its trampolines are in place already, so only pages
 * for vector and switch are mapped over it. */
#include "patch/apply/patchapply_rewritten.h"

#include <errno.h>
#include <sys/mman.h>

#include "platform/code/rawmemory.h"
#include "patch/read/planread.h"
#include "patch/rewrite/rewritehead.h"

static bool is_head(const struct rewrite_head *head, uint64_t size)
{
	if (size < sizeof(*head))
		return false;
	for (unsigned i = 0; i < sizeof(REWRITE_MAGIC) - 1; i++)
		if (head->magic[i] != REWRITE_MAGIC[i])
			return false;
	return head->version == REWRITE_VERSION && head->size <= size &&
	       head->plan_offset <= head->size &&
	       head->plan_size <= head->size - head->plan_offset &&
	       head->choice_offset <= head->size &&
	       head->choice_count <= head->size - head->choice_offset;
}

/* A filled page replaces the file's atomically: trampolines may be running, and must never see an
 * empty one. */
static int map_over(uint64_t address, const void *bytes, uint64_t size, int protection)
{
	long page = raw_map(0, PATCH_VECTOR_SIZE, PROT_READ | PROT_WRITE,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	long result;

	if (page < 0)
		return (int)-page;
	raw_copy((void *)page, bytes, size);
	result = raw_protect((uint64_t)page, PATCH_VECTOR_SIZE, protection);
	if (result == 0)
		result = raw_call6(SYS_mremap, page, PATCH_VECTOR_SIZE, PATCH_VECTOR_SIZE,
				   MREMAP_MAYMOVE | MREMAP_FIXED, (long)address, 0);
	if (result >= 0)
		return 0;
	raw_unmap((uint64_t)page, PATCH_VECTOR_SIZE);
	return (int)-result;
}

int patchapply_attach_rewritten(struct patch_applied *applied, const void *segment, uint64_t size,
				const struct patch_vector *vector)
{
	const struct rewrite_head *head = segment;
	const unsigned char off = 1;
	const struct plan_header *header;
	int result;

	if (!is_head(head, size))
		return ENOENT;
	if (!plan_read((const unsigned char *)segment + head->plan_offset, head->plan_size, true,
		       &applied->plan) ||
	    head->choice_count != applied->plan.header->function_count)
		return EINVAL;
	header = applied->plan.header;
	applied->bias = (uint64_t)(uintptr_t)segment - head->address;
	applied->code = header->code_address + applied->bias;
	applied->code_end = header->switch_address + PATCH_SWITCH_SIZE + applied->bias;
	applied->moved = 0;
	applied->frames = applied->frames_header = NULL;
	applied->object = applied->symbols = NULL;
	applied->text_landings = applied->code_landings = 0;
	if (applied->code != (uint64_t)(uintptr_t)applied->plan.code ||
	    applied->code_end > (uint64_t)(uintptr_t)segment + size)
		return EINVAL;
	applied->vector =
		(struct patch_vector *)(uintptr_t)(header->vector_address + applied->bias);
	applied->gate = (struct patch_switch *)(uintptr_t)(header->switch_address + applied->bias);
	result = map_over((uint64_t)(uintptr_t)applied->gate, &off, sizeof(off),
			  PROT_READ | PROT_WRITE);
	if (result == 0)
		result = map_over((uint64_t)(uintptr_t)applied->vector, vector, sizeof(*vector),
				  PROT_READ);
	return result;
}
