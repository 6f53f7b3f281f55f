/* The unwind tables of a rewritten file: its own .eh_frame and that of the trampolines become one
 * in the new segment, which the section .eh_frame and the program header refer to.  Debuggers read
 * the one section of that name, unwinders the search table. */
#include "patch/rewrite/rewriteframes.h"

#include <string.h>

#include "patch/rewrite/framesmove.h"
#include "patch/rewrite/rewriteinput.h"
#include "patch/rewrite/rewritesegment.h"

/* Find the file's own tables.  False: it has none that unwinders find. */
static bool rewriteframes_find_own(const struct rewrite_work *work, uint64_t *address_out,
				   uint64_t *size_out)
{
	const Elf64_Phdr *phdr = rewriteinput_phdr(work, PT_GNU_EH_FRAME);
	const unsigned char *header;
	int32_t distance;

	if (!phdr || phdr->p_filesz < 8)
		return false;
	if (work->frames_section) {
		const Elf64_Shdr *section = &work->shdrs[work->frames_section];

		*address_out = section->sh_addr;
		*size_out = section->sh_size;
		return section->sh_type != SHT_NOBITS;
	}
	header = rewriteinput_at(work, phdr->p_vaddr, 8);
	if (!header || header[0] != 1 || header[1] != 0x1b)
		return false;
	memcpy(&distance, header + 4, sizeof(distance));
	*address_out = phdr->p_vaddr + 4 + (uint64_t)(int64_t)distance;
	*size_out = 0;
	while (1) { /* without sections: up to the terminator that the linker writes */
		const unsigned char *at = rewriteinput_at(work, *address_out + *size_out, 4);
		uint32_t length;

		if (!at)
			return false;
		memcpy(&length, at, sizeof(length));
		if (length == 0 || length > INT32_MAX)
			return length == 0;
		*size_out += 4 + (uint64_t)length;
	}
}

/* Without the terminator of a section, which would end both. */
static uint64_t without_end(const unsigned char *bytes, uint64_t size)
{
	uint64_t at = 0;

	while (size - at >= 4) {
		uint32_t length;

		memcpy(&length, bytes + at, sizeof(length));
		if (length == 0 && size - at == 4)
			return at;
		if (length > size - at - 4)
			break;
		at += 4 + (uint64_t)length;
	}
	return size;
}

static size_t add_frames(struct rewrite_work *work, const unsigned char *own, uint64_t own_size,
			 uint64_t own_address, struct frames_list *list)
{
	const struct plan_header *header = work->plan->header;
	uint64_t more_size = without_end(work->plan->frames, header->frames_size);
	struct frames_move move = {.code_start = header->code_address,
				   .code_end = header->code_address + header->code_size,
				   .code_by = work->moved};
	const uint32_t end = 0;
	size_t at, more;

	at = rewritesegment_add(work, own, own_size, 16);
	more = rewritesegment_add(work, work->plan->frames, more_size, 4);
	if (at == SIZE_MAX || more == SIZE_MAX ||
	    rewritesegment_add(work, &end, sizeof(end), 4) == SIZE_MAX)
		return SIZE_MAX;
	move.bytes = work->segment + at;
	move.size = own_size;
	move.from = own_address;
	move.to = work->address + at;
	/* If the loader relocates the file, an absolute pointer in it is not final. */
	move.is_relocated = work->ehdr->e_type == ET_DYN;
	/* The file's own entries refer to no trampoline. */
	if (!frames_move(&(struct frames_move){move.bytes, move.size, move.from, move.to, 0, 0, 0,
					       move.is_relocated},
			 list))
		return SIZE_MAX;
	move.bytes = work->segment + more;
	move.size = more_size;
	move.from = header->frames_address;
	move.to = work->address + more;
	return frames_move(&move, list) ? at : SIZE_MAX;
}

enum kymo_status rewriteframes_merge(struct rewrite_work *work, struct problem *problem)
{
	struct frames_list list = {0};
	const unsigned char *own;
	uint64_t address, size;
	bool is_done = false;

	if (!rewriteframes_find_own(work, &address, &size))
		return KYMO_OK; /* it could not be unwound before either */
	own = rewriteinput_at(work, address, size);
	if (own) {
		size = without_end(own, size);
		work->frames_offset = add_frames(work, own, size, address, &list);
		if (work->frames_offset != SIZE_MAX) {
			work->frames_size = work->used - work->frames_offset;
			work->header_size = FRAMES_HEADER_SIZE + list.row_count * FRAMES_ROW_SIZE;
			work->header_offset = rewritesegment_add(work, NULL, work->header_size, 8);
			is_done = work->header_offset != SIZE_MAX &&
				  frames_header(&list, work->address + work->header_offset,
						work->address + work->frames_offset,
						work->segment + work->header_offset);
		}
	}
	frames_list_release(&list);
	return is_done ? KYMO_OK
		       : problem_set(problem, KYMO_FORMAT,
				     "cannot rewrite '%s': its unwind tables (.eh_frame) cannot be "
				     "brought to another place",
				     work->path);
}
