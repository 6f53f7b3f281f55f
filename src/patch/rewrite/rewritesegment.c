/* The new segment of a rewritten file: the plan in its new layout, with the code where it runs, and
 * the jumps in the file's text that lead there. */
#include "patch/rewrite/rewritesegment.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "patch/rewrite/rewritehead.h"
#include "patch/rewrite/rewriteinput.h"

#define SEGMENT_MAX (UINT64_C(1) << 30) /* all distances in it and to the image fit 32 bits */

size_t rewritesegment_add(struct rewrite_work *work, const void *bytes, size_t size, size_t align)
{
	size_t start = (work->used + align - 1) & -align, need;
	unsigned char *grown;

	if (size > SEGMENT_MAX || start > SEGMENT_MAX)
		return SIZE_MAX;
	need = start + size;
	if (need > work->capacity) {
		size_t capacity = need + need / 2 + REWRITE_PAGE;

		grown = realloc(work->segment, capacity);
		if (!grown)
			return SIZE_MAX;
		work->segment = grown;
		work->capacity = capacity;
	}
	memset(work->segment + work->used, 0, start - work->used);
	if (bytes)
		memcpy(work->segment + start, bytes, size);
	else
		memset(work->segment + start, 0, size);
	work->used = need;
	return start;
}

static enum kymo_status rewritesegment_no_memory(const struct rewrite_work *work,
						 struct problem *problem)
{
	return problem_set(problem, KYMO_MEMORY, "cannot rewrite '%s': out of memory", work->path);
}

static struct plan_header *rewritesegment_header_of(const struct rewrite_work *work)
{
	return (struct plan_header *)(void *)(work->segment + work->plan_offset);
}

/* Add one of the plan's tables; its new offset, SIZE_MAX = no memory. */
static size_t rewritesegment_add_table(struct rewrite_work *work, const void *bytes, size_t size)
{
	size_t at = rewritesegment_add(work, bytes, size, 16);

	return at == SIZE_MAX ? at : at - work->plan_offset;
}

enum kymo_status rewritesegment_tables(struct rewrite_work *work, const uint8_t *choice,
				       struct problem *problem)
{
	const struct plan *plan = work->plan;
	const struct plan_header *old = plan->header;
	struct rewrite_head *head;
	size_t functions, writes, fixups, names, owners, choice_offset;

	choice_offset = rewritesegment_add(work, choice, old->function_count, 16);
	work->plan_offset = rewritesegment_add(work, old, sizeof(*old), REWRITE_PAGE);
	if (choice_offset == SIZE_MAX || work->plan_offset == SIZE_MAX)
		return rewritesegment_no_memory(work, problem);
	functions = rewritesegment_add_table(work, plan->functions,
					     old->function_count * sizeof(struct plan_function));
	writes = rewritesegment_add_table(work, plan->writes,
					  old->write_count * sizeof(struct plan_write));
	fixups = rewritesegment_add_table(work, plan->fixups, old->fixup_count * sizeof(uint32_t));
	names = rewritesegment_add_table(work, plan->names, old->names_size);
	owners = rewritesegment_add_table(work, plan->owners,
					  old->owner_count * sizeof(struct plan_owner));
	if (functions == SIZE_MAX || writes == SIZE_MAX || fixups == SIZE_MAX ||
	    names == SIZE_MAX || owners == SIZE_MAX)
		return rewritesegment_no_memory(work, problem);
	work->tables_end = work->used;
	rewritesegment_header_of(work)->functions_offset = functions;
	rewritesegment_header_of(work)->writes_offset = writes;
	rewritesegment_header_of(work)->fixups_offset = fixups;
	rewritesegment_header_of(work)->names_offset = names;
	rewritesegment_header_of(work)->owners_offset = owners;
	/* The file's own unwind tables include the code. */
	rewritesegment_header_of(work)->frames_offset =
		rewritesegment_header_of(work)->header_offset = functions;
	rewritesegment_header_of(work)->frames_size = rewritesegment_header_of(work)->header_size =
		0;
	rewritesegment_header_of(work)->symbols_size =
		rewritesegment_header_of(work)->symbol_texts_size = 0;
	/* Calls are not throttled in rewritten files. */
	rewritesegment_header_of(work)->variant &= ~PLAN_VARIANT_THROTTLE;
	rewritesegment_header_of(work)->copy_count = rewritesegment_header_of(work)->call_count = 0;
	head = (struct rewrite_head *)(void *)work->segment;
	head->choice_offset = choice_offset;
	head->choice_count = old->function_count;
	return KYMO_OK;
}

/* Add to a 4-byte distance; false: it overflows. */
static bool move_distance(unsigned char *at, int64_t by)
{
	int32_t distance;
	int64_t moved;

	memcpy(&distance, at, sizeof(distance));
	moved = (int64_t)distance + by;
	if (moved < INT32_MIN || moved > INT32_MAX)
		return false;
	distance = (int32_t)moved;
	memcpy(at, &distance, sizeof(distance));
	return true;
}

/* Adjust distances between the code and the file to the code's new address. */
static bool rewritesegment_move_all(struct rewrite_work *work)
{
	const struct plan_header *header = rewritesegment_header_of(work);
	struct plan_write *writes =
		(struct plan_write *)(void *)(work->segment + work->plan_offset +
					      header->writes_offset);

	for (uint64_t i = 0; i < header->fixup_count; i++) {
		uint64_t at = work->plan->fixups[i];

		if (at >= work->plan->header->frames_address - work->plan->header->code_address)
			continue; /* in the unwind tables, which are rebuilt */
		if (at > header->code_size - 4 ||
		    !move_distance(work->segment + work->code_offset + at, -work->moved))
			return false;
	}
	for (uint64_t i = 0; i < header->write_count; i++) {
		if (writes[i].distance_at == 0)
			continue;
		if (writes[i].distance_at > PLAN_PATCH_MAX - 4 ||
		    !move_distance(writes[i].after + writes[i].distance_at, work->moved))
			return false;
	}
	return true;
}

enum kymo_status rewritesegment_code(struct rewrite_work *work, struct problem *problem)
{
	const struct plan_header *old = work->plan->header;
	struct plan_header *header;
	size_t vector, gate;

	work->code_offset =
		rewritesegment_add(work, work->plan->code, old->code_size, REWRITE_PAGE);
	if (work->code_offset == SIZE_MAX)
		return rewritesegment_no_memory(work, problem);
	work->plan_size = work->used - work->plan_offset;
	vector = rewritesegment_add(work, NULL, PATCH_SWITCH_DISTANCE, REWRITE_PAGE);
	gate = rewritesegment_add(work, NULL, PATCH_SWITCH_SIZE, REWRITE_PAGE);
	if (vector == SIZE_MAX || gate == SIZE_MAX)
		return rewritesegment_no_memory(work, problem);
	header = rewritesegment_header_of(work);
	work->moved = (int64_t)(work->address + work->code_offset - old->code_address);
	header->code_address = work->address + work->code_offset;
	header->code_offset = work->code_offset - work->plan_offset;
	header->vector_address = work->address + vector;
	header->switch_address = work->address + gate;
	header->frames_address = header->switch_address + PATCH_SWITCH_SIZE;
	header->size = work->plan_size;
	if (header->vector_address !=
		    header->code_address + (old->vector_address - old->code_address) ||
	    header->switch_address !=
		    header->code_address + (old->switch_address - old->code_address))
		return problem_set(problem, KYMO_FORMAT,
				   "cannot rewrite '%s': its plan keeps the vector elsewhere",
				   work->path);
	work->switch_offset = gate;
	((struct patch_switch *)(void *)(work->segment + gate))->is_off = 1;
	if (!rewritesegment_move_all(work))
		return problem_set(
			problem, KYMO_UNAVAILABLE,
			"cannot rewrite '%s': it is too large for jumps to reach its end",
			work->path);
	return KYMO_OK;
}

static bool is_apart(const struct plan_write *write, const struct plan_write *others, size_t count)
{
	for (size_t i = 0; i < count; i++)
		if (write->offset < (uint64_t)others[i].offset + others[i].size &&
		    others[i].offset < (uint64_t)write->offset + write->size)
			return false;
	return true;
}

/* All of a function's bytes exist and are as in the plan, none written twice. */
static bool is_writable(const struct rewrite_work *work, const struct plan_write *writes,
			size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct plan_write *write = &writes[i];
		uint64_t address = plan_write_address(work->plan->header, write);
		const unsigned char *at = NULL;

		if (write->size > 0 && write->size <= PLAN_PATCH_MAX &&
		    rewriteinput_is_code(work, address, write->size))
			at = rewriteinput_at(work, address, write->size);
		if (!at || memcmp(at, write->before, write->size) != 0 ||
		    !is_apart(write, writes, i))
			return false;
	}
	return count > 0;
}

/* Bytes outside of all sections, such as padding after the last function, are dropped by strip:
 * extend the preceding section over them. */
static void cover(struct rewrite_work *work, uint64_t start, uint64_t end)
{
	Elf64_Shdr *before = NULL;

	for (size_t i = 1; i < work->section_count; i++) {
		Elf64_Shdr *section = &work->shdrs[i];

		if (!(section->sh_flags & SHF_EXECINSTR) || section->sh_type != SHT_PROGBITS ||
		    section->sh_addr > start)
			continue;
		if (!before ||
		    section->sh_addr + section->sh_size > before->sh_addr + before->sh_size)
			before = section;
	}
	if (before && before->sh_addr + before->sh_size < end)
		before->sh_size = end - before->sh_addr;
}

void rewritesegment_write(struct rewrite_work *work, uint8_t *choice, uint64_t *taken,
			  uint64_t *refused)
{
	const struct plan_header *header = rewritesegment_header_of(work);
	const struct plan_write *writes =
		(const struct plan_write *)(const void *)(work->segment + work->plan_offset +
							  header->writes_offset);

	for (uint64_t i = 0; i < header->function_count; i++) {
		const struct plan_function *function = &work->plan->functions[i];
		const struct plan_write *first = writes + function->first_write;

		if (choice[i] != CHOICE_TAKEN)
			continue;
		if (function->way == PLAN_WAY_HOOK) { /* it calls the collector, if that is
						       * loaded */
			++*taken;
			continue;
		}
		if (function->way == PLAN_WAY_NONE || function->write_count == 0) {
			choice[i] = CHOICE_LEFT;
			continue;
		}
		if (function->first_write > header->write_count ||
		    function->write_count > header->write_count - function->first_write ||
		    !is_writable(work, first, function->write_count)) {
			choice[i] = CHOICE_LEFT;
			++*refused;
			continue;
		}
		for (size_t k = 0; k < function->write_count; k++) {
			uint64_t address = plan_write_address(header, &first[k]);

			memcpy(rewriteinput_at(work, address, first[k].size), first[k].after,
			       first[k].size);
			cover(work, address, address + first[k].size);
		}
		++*taken;
	}
}
