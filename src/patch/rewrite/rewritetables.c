/* Program headers and sections of a rewritten file.
 *
 * The program headers stay where they are: kernels before 5.18 find them nowhere else, and strip
 * puts them there again.  The sections after them are moved into the new segment to make space for
 * one more: the interpreter's path, notes, the hash table. */
#include "patch/rewrite/rewritetables.h"

#include <stdlib.h>
#include <string.h>

#include "patch/rewrite/rewritehead.h"
#include "patch/rewrite/rewriteinput.h"
#include "patch/rewrite/rewritesegment.h"

#define BLOCK_ALIGN 64u

static const char *const movable_notes[] = {".note.gnu.property", ".note.gnu.build-id",
					    ".note.ABI-tag", ".note.package"};

static bool crosses(uint64_t start, uint64_t size, const struct rewrite_block *block)
{
	return size > 0 && start < block->end && start + size > block->start;
}

/* Only headers refer to it. */
static bool is_movable_section(const struct rewrite_work *work, const Elf64_Shdr *section)
{
	const Elf64_Phdr *interpreter = rewriteinput_phdr(work, PT_INTERP);

	if (section->sh_type == SHT_GNU_HASH || section->sh_type == SHT_HASH ||
	    section->sh_type == SHT_DYNSYM)
		return (section->sh_flags & SHF_ALLOC) != 0;
	if (interpreter && section->sh_addr == interpreter->p_vaddr)
		return section->sh_type == SHT_PROGBITS;
	if (section->sh_type != SHT_NOTE || section->sh_name >= work->names_size)
		return false;
	for (size_t i = 0; i < sizeof(movable_notes) / sizeof(movable_notes[0]); i++)
		if (strcmp(work->names + section->sh_name, movable_notes[i]) == 0)
			return true;
	return false;
}

static bool is_movable_segment(const Elf64_Phdr *phdr)
{
	return phdr->p_type == PT_NOTE || phdr->p_type == PT_INTERP ||
	       phdr->p_type == PT_GNU_PROPERTY;
}

/* Extend the block to include [start, start + size).  False: that begins before it. */
static bool extend(struct rewrite_block *block, uint64_t start, uint64_t size, bool *changed)
{
	if (start < block->start)
		return false;
	if (start + size > block->end) {
		block->end = start + size;
		*changed = true;
	}
	return true;
}

/* The block of file offsets after the program headers that has to be moved, whole sections and
 * segments.  False: something in it must stay. */
static bool rewritetables_find_block(const struct rewrite_work *work, struct rewrite_block *block)
{
	bool changed = true;

	while (changed) {
		changed = false;
		for (size_t i = 1; i < work->section_count; i++) {
			const Elf64_Shdr *section = &work->shdrs[i];

			if (section->sh_type == SHT_NOBITS || section->sh_type == SHT_NULL ||
			    !crosses(section->sh_offset, section->sh_size, block))
				continue;
			if (!is_movable_section(work, section) ||
			    !extend(block, section->sh_offset, section->sh_size, &changed))
				return false;
		}
		for (size_t i = 0; i < work->phdr_count; i++) {
			const Elf64_Phdr *phdr = &work->phdrs[i];

			if (phdr->p_type == PT_LOAD || phdr->p_type == PT_PHDR ||
			    !crosses(phdr->p_offset, phdr->p_filesz, block))
				continue;
			if (!is_movable_segment(phdr) ||
			    !extend(block, phdr->p_offset, phdr->p_filesz, &changed))
				return false;
		}
	}
	return true;
}

/* The segment that contains the block.  The block may extend past it within its last page. */
static const Elf64_Phdr *load_of(struct rewrite_work *work, const struct rewrite_block *block)
{
	Elf64_Phdr *load = NULL;
	uint64_t end;

	for (size_t i = 0; i < work->phdr_count; i++) {
		Elf64_Phdr *phdr = &work->phdrs[i];

		if (phdr->p_type != PT_LOAD)
			continue;
		if (phdr->p_offset <= block->start && !load)
			load = phdr;
		else if (phdr->p_offset < block->end)
			return NULL;
	}
	if (!load || block->start > load->p_offset + load->p_filesz)
		return NULL;
	end = load->p_offset + load->p_filesz;
	if (block->end > end) {
		if (load->p_memsz != load->p_filesz || block->end > work->size ||
		    (block->end - 1) / REWRITE_PAGE != (end - 1) / REWRITE_PAGE)
			return NULL;
		load->p_filesz = load->p_memsz = block->end - load->p_offset;
	}
	return load;
}

/* Move it: the copy is in the segment, with the same offset from a multiple of BLOCK_ALIGN. */
static enum kymo_status move_block(struct rewrite_work *work, const struct rewrite_block *block,
				   const Elf64_Phdr *load, struct problem *problem)
{
	uint64_t size = block->end - block->start;
	uint64_t address = load->p_vaddr + (block->start - load->p_offset);
	size_t shift = address % BLOCK_ALIGN, at;

	at = rewritesegment_add(work, NULL, shift + size, BLOCK_ALIGN);
	if (at == SIZE_MAX)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	memcpy(work->segment + at + shift, work->bytes + block->start, size);
	work->block = (struct rewrite_block){address, address + size, work->address + at + shift};
	return KYMO_OK;
}

static void drop_phdr(struct rewrite_work *work, size_t index)
{
	work->phdr_count--;
	memmove(&work->phdrs[index], &work->phdrs[index + 1],
		(work->phdr_count - index) * sizeof(*work->phdrs));
}

/* Drop a redundant one: unused, or duplicated by a PT_NOTE. */
static bool drop_spare(struct rewrite_work *work)
{
	const Elf64_Phdr *property = rewriteinput_phdr(work, PT_GNU_PROPERTY);

	for (size_t i = 0; i < work->phdr_count; i++) {
		if (work->phdrs[i].p_type == PT_NULL) {
			drop_phdr(work, i);
			return true;
		}
	}
	for (size_t i = 0; property && i < work->phdr_count; i++) {
		const Elf64_Phdr *note = &work->phdrs[i];

		if (note->p_type == PT_NOTE && note->p_offset <= property->p_offset &&
		    note->p_offset + note->p_filesz >= property->p_offset + property->p_filesz) {
			drop_phdr(work, (size_t)(property - work->phdrs));
			return true;
		}
	}
	return false;
}

/* Programs need them where they are, see above; the loader accepts a library's anywhere. */
static bool move_phdrs(struct rewrite_work *work)
{
	size_t at = rewritesegment_add(work, NULL, (work->phdr_count + 1) * sizeof(Elf64_Phdr), 8);
	Elf64_Phdr *own = rewriteinput_phdr(work, PT_PHDR);

	if (at == SIZE_MAX)
		return false;
	work->phdrs_offset = at;
	work->ehdr->e_phoff = work->offset + at;
	if (own) {
		own->p_offset = work->ehdr->e_phoff;
		own->p_vaddr = own->p_paddr = work->address + at;
	}
	return true;
}

enum kymo_status rewritetables_reserve(struct rewrite_work *work, struct problem *problem)
{
	uint64_t end = work->ehdr->e_phoff + work->phdr_count * sizeof(Elf64_Phdr);
	struct rewrite_block block = {.start = end, .end = end + sizeof(Elf64_Phdr)};
	const Elf64_Phdr *load;

	if (work->section_count > 0 && rewritetables_find_block(work, &block)) {
		load = load_of(work, &block);
		if (load)
			return move_block(work, &block, load, problem);
	}
	if (drop_spare(work) || (rewriteinput_is_library(work) && move_phdrs(work)))
		return KYMO_OK;
	return problem_set(problem, KYMO_UNAVAILABLE,
			   "cannot rewrite '%s': there is no space for another program header",
			   work->path);
}

static bool is_moved(const struct rewrite_work *work, uint64_t address)
{
	return address >= work->block.start && address < work->block.end;
}

static uint64_t where_to(const struct rewrite_work *work, uint64_t address)
{
	return address - work->block.start + work->block.to;
}

/* By its offset in the file: the address in a header may be anything. */
static bool is_in_block(const struct rewrite_work *work, const Elf64_Shdr *section)
{
	return (section->sh_flags & SHF_ALLOC) && section->sh_type != SHT_NOBITS &&
	       is_moved(work, section->sh_addr) &&
	       section->sh_size <= work->block.end - section->sh_addr;
}

static void follow_dynamic(struct rewrite_work *work)
{
	const Elf64_Phdr *phdr = rewriteinput_phdr(work, PT_DYNAMIC);

	if (!phdr)
		return;
	for (uint64_t at = 0; phdr->p_filesz - at >= sizeof(Elf64_Dyn); at += sizeof(Elf64_Dyn)) {
		Elf64_Dyn entry;

		memcpy(&entry, work->bytes + phdr->p_offset + at, sizeof(entry));
		if (entry.d_tag == DT_NULL)
			return;
		if ((entry.d_tag == DT_HASH || entry.d_tag == DT_GNU_HASH ||
		     entry.d_tag == DT_SYMTAB) &&
		    is_moved(work, entry.d_un.d_ptr)) {
			entry.d_un.d_ptr = where_to(work, entry.d_un.d_ptr);
			memcpy(work->bytes + phdr->p_offset + at, &entry, sizeof(entry));
		}
	}
}

/* Adjust symbols of sections that were moved; table is its header before. */
static void follow_symbols(struct rewrite_work *work, const Elf64_Shdr *table)
{
	unsigned char *symbols =
		is_in_block(work, table)
			? work->segment + (where_to(work, table->sh_addr) - work->address)
			: work->bytes + table->sh_offset;

	for (uint64_t at = 0; table->sh_size - at >= sizeof(Elf64_Sym); at += sizeof(Elf64_Sym)) {
		unsigned char *place = symbols + at;
		Elf64_Sym symbol;

		memcpy(&symbol, place, sizeof(symbol));
		if (symbol.st_shndx == SHN_UNDEF || symbol.st_shndx >= work->section_count)
			continue;
		if (is_moved(work, symbol.st_value))
			symbol.st_value = where_to(work, symbol.st_value);
		else if (symbol.st_shndx == work->frames_section && work->frames_size > 0)
			symbol.st_value = work->address + work->frames_offset;
		else if (symbol.st_shndx == work->header_section && work->header_size > 0)
			symbol.st_value = work->address + work->header_offset;
		else
			continue;
		memcpy(place, &symbol, sizeof(symbol));
	}
}

static void follow_block(struct rewrite_work *work)
{
	uint64_t start = work->offset - work->address;

	for (size_t i = 0; i < work->phdr_count; i++) {
		Elf64_Phdr *phdr = &work->phdrs[i];

		if (is_movable_segment(phdr) && is_moved(work, phdr->p_vaddr)) {
			phdr->p_vaddr = phdr->p_paddr = where_to(work, phdr->p_vaddr);
			phdr->p_offset = phdr->p_vaddr + start;
		}
	}
	for (size_t i = 1; i < work->section_count; i++) {
		Elf64_Shdr *section = &work->shdrs[i];

		if (section->sh_type == SHT_SYMTAB || section->sh_type == SHT_DYNSYM)
			follow_symbols(work, section);
		if (is_in_block(work, section)) {
			section->sh_addr = where_to(work, section->sh_addr);
			section->sh_offset = section->sh_addr + start;
		}
	}
	follow_dynamic(work);
}

static void add_phdr(struct rewrite_work *work)
{
	size_t last = 0;

	for (size_t i = 0; i < work->phdr_count; i++)
		if (work->phdrs[i].p_type == PT_LOAD)
			last = i;
	memmove(&work->phdrs[last + 2], &work->phdrs[last + 1],
		(work->phdr_count - last - 1) * sizeof(*work->phdrs));
	work->phdrs[last + 1] = (Elf64_Phdr){
		.p_type = PT_LOAD,
		.p_flags = PF_R | PF_X,
		.p_offset = work->offset,
		.p_vaddr = work->address,
		.p_paddr = work->address,
		.p_filesz = work->used,
		.p_memsz = work->used,
		.p_align = REWRITE_PAGE,
	};
	work->phdr_count++;
}

static void finish_phdrs(struct rewrite_work *work)
{
	Elf64_Phdr *phdr;
	size_t size;

	add_phdr(work);
	size = work->phdr_count * sizeof(Elf64_Phdr);
	phdr = rewriteinput_phdr(work, PT_PHDR);
	if (phdr)
		phdr->p_filesz = phdr->p_memsz = size;
	phdr = rewriteinput_phdr(work, PT_GNU_EH_FRAME);
	if (phdr && work->header_size > 0) {
		phdr->p_vaddr = phdr->p_paddr = work->address + work->header_offset;
		phdr->p_offset = work->offset + work->header_offset;
		phdr->p_filesz = phdr->p_memsz = work->header_size;
	}
	memcpy(work->phdrs_offset ? work->segment + work->phdrs_offset
				  : work->bytes + work->ehdr->e_phoff,
	       work->phdrs, size);
	work->ehdr->e_phnum = (Elf64_Half)work->phdr_count;
}

static void put_section(struct rewrite_work *work, Elf64_Shdr *section, size_t start, size_t size,
			uint64_t flags)
{
	section->sh_type = SHT_PROGBITS;
	section->sh_flags = flags;
	section->sh_addr = work->address + start;
	section->sh_offset = work->offset + start;
	section->sh_size = size;
}

/* The new sections are last, so that the indexes of the others do not change. */
static void add_sections(struct rewrite_work *work, uint32_t names)
{
	static const uint32_t name_at[REWRITE_SECTIONS_NEW] = {0, 11, 22};
	Elf64_Shdr *fresh = &work->shdrs[work->section_count];
	size_t code_size = work->plan->header->code_size;

	for (size_t i = 0; i < REWRITE_SECTIONS_NEW; i++)
		fresh[i] = (Elf64_Shdr){.sh_name = names + name_at[i], .sh_addralign = 16};
	put_section(work, &fresh[0], 0, work->tables_end, SHF_ALLOC);
	put_section(work, &fresh[1], work->code_offset, code_size, SHF_ALLOC | SHF_EXECINSTR);
	put_section(work, &fresh[2], work->code_offset + code_size,
		    work->switch_offset + PATCH_SWITCH_SIZE - work->code_offset - code_size,
		    SHF_ALLOC);
	if (work->frames_section && work->frames_size > 0)
		put_section(work, &work->shdrs[work->frames_section], work->frames_offset,
			    work->frames_size, SHF_ALLOC);
	if (work->header_section && work->header_size > 0)
		put_section(work, &work->shdrs[work->header_section], work->header_offset,
			    work->header_size, SHF_ALLOC);
	work->section_count += REWRITE_SECTIONS_NEW;
}

static enum kymo_status finish_sections(struct rewrite_work *work, struct problem *problem)
{
	static const char fresh[] = ".kymo.plan\0.kymo.text\0.kymo.gate";
	size_t names_size = work->names_size + sizeof(fresh);
	size_t names_padded = (names_size + 7) & ~(size_t)7, size;
	uint64_t tail = (work->offset + work->used + 7) & ~(uint64_t)7;
	size_t padding = tail - work->offset - work->used;
	Elf64_Shdr *names;

	add_sections(work, (uint32_t)work->names_size);
	size = work->section_count * sizeof(Elf64_Shdr);
	work->tail = calloc(1, padding + names_padded + size);
	if (!work->tail)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	memcpy(work->tail + padding, work->names, work->names_size);
	memcpy(work->tail + padding + work->names_size, fresh, sizeof(fresh));
	names = &work->shdrs[work->ehdr->e_shstrndx];
	names->sh_offset = tail;
	names->sh_size = names_size;
	memcpy(work->tail + padding + names_padded, work->shdrs, size);
	work->tail_size = padding + names_padded + size;
	work->ehdr->e_shoff = tail + names_padded;
	work->ehdr->e_shnum = (Elf64_Half)work->section_count;
	return KYMO_OK;
}

enum kymo_status rewritetables_finish(struct rewrite_work *work, struct problem *problem)
{
	follow_block(work);
	finish_phdrs(work);
	return work->section_count > 0 ? finish_sections(work, problem) : KYMO_OK;
}
