/* Opening the file that is to be rewritten: a private copy of it in memory; every header that other
 * steps use is validated. */
#include "patch/rewrite/rewriteinput.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "patch/rewrite/rewritehead.h"

#define PHDRS_MAX   1024u
#define ADDRESS_MAX (UINT64_C(1) << 46)
#define INPUT_MAX   (UINT64_C(1) << 40)

static enum kymo_status malformed(const struct rewrite_work *work, struct problem *problem,
				  const char *what)
{
	return problem_set(problem, KYMO_FORMAT, "cannot rewrite '%s': %s", work->path, what);
}

static bool rewriteinput_is_inside(const struct rewrite_work *work, uint64_t offset, uint64_t size)
{
	return offset <= work->mapped && size <= work->mapped - offset;
}

static enum kymo_status rewriteinput_map_file(struct rewrite_work *work, struct problem *problem)
{
	int fd = open(work->path, O_RDONLY | O_CLOEXEC);
	struct stat info;
	void *bytes;

	if (fd < 0 || fstat(fd, &info) < 0) {
		int error = errno;

		if (fd >= 0)
			close(fd);
		return problem_set(problem, KYMO_SYSTEM, "cannot read '%s': %s", work->path,
				   strerror(error));
	}
	if (!S_ISREG(info.st_mode) || info.st_size < (off_t)sizeof(Elf64_Ehdr) ||
	    (uint64_t)info.st_size > INPUT_MAX) {
		close(fd);
		return malformed(work, problem, "it is not an ELF file");
	}
	work->mapped = (size_t)info.st_size;
	bytes = mmap(NULL, work->mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	close(fd);
	if (bytes == MAP_FAILED)
		return problem_set(problem, KYMO_MEMORY, "cannot read '%s': %s", work->path,
				   strerror(errno));
	work->bytes = bytes;
	work->ehdr = bytes;
	return KYMO_OK;
}

static enum kymo_status check_header(const struct rewrite_work *work, struct problem *problem)
{
	const Elf64_Ehdr *ehdr = work->ehdr;

	if (memcmp(ehdr->e_ident, ELFMAG, SELFMAG) != 0)
		return malformed(work, problem, "it is not an ELF file");
	if (ehdr->e_ident[EI_CLASS] != ELFCLASS64 || ehdr->e_ident[EI_DATA] != ELFDATA2LSB ||
	    ehdr->e_machine != work->plan->header->machine)
		return malformed(work, problem, "it was made for another kind of processor");
	if (ehdr->e_machine != EM_X86_64)
		return malformed(work, problem,
				 "files are rewritten for x86-64 only; instrument it as it runs");
	if (ehdr->e_type != ET_EXEC && ehdr->e_type != ET_DYN)
		return malformed(work, problem, "it is neither a program nor a shared library");
	if (ehdr->e_phentsize != sizeof(Elf64_Phdr) || ehdr->e_phnum == 0 ||
	    ehdr->e_phnum > PHDRS_MAX ||
	    !rewriteinput_is_inside(work, ehdr->e_phoff, ehdr->e_phnum * sizeof(Elf64_Phdr)))
		return malformed(work, problem, "its program headers are damaged");
	return KYMO_OK;
}

/* Segments exist, are sorted and disjoint; their page bounds; the end of the ELF part of the
 * file. */
static const char *check_segments(struct rewrite_work *work)
{
	uint64_t end = 0, file_end = work->ehdr->e_phoff + work->phdr_count * sizeof(Elf64_Phdr);

	for (size_t i = 0; i < work->phdr_count; i++) {
		const Elf64_Phdr *phdr = &work->phdrs[i];

		if (phdr->p_type == PT_NULL || phdr->p_type == PT_GNU_STACK)
			continue;
		if (!rewriteinput_is_inside(work, phdr->p_offset, phdr->p_filesz))
			return "it ends before one of its segments does";
		if (phdr->p_offset + phdr->p_filesz > file_end)
			file_end = phdr->p_offset + phdr->p_filesz;
		if (phdr->p_vaddr >= ADDRESS_MAX || phdr->p_memsz >= ADDRESS_MAX)
			return "the addresses of a segment are damaged";
		if (phdr->p_type != PT_LOAD)
			continue;
		if (phdr->p_vaddr < end || phdr->p_memsz < phdr->p_filesz ||
		    (phdr->p_vaddr - phdr->p_offset) % REWRITE_PAGE != 0)
			return "its segments overlap or lie in no order";
		end = phdr->p_vaddr + phdr->p_memsz;
		if (phdr->p_filesz >= 8 &&
		    memcmp(work->bytes + phdr->p_offset, REWRITE_MAGIC, 8) == 0)
			return "it is instrumented already";
	}
	if (end == 0)
		return "it has no segment that is loaded";
	work->image_end = (end + REWRITE_PAGE - 1) & -(uint64_t)REWRITE_PAGE;
	work->size = file_end;
	return NULL;
}

static const char *check_sections(struct rewrite_work *work)
{
	const Elf64_Ehdr *ehdr = work->ehdr;
	const Elf64_Shdr *names;

	if (ehdr->e_shoff == 0 || ehdr->e_shnum == 0)
		return NULL;
	if (ehdr->e_shentsize != sizeof(Elf64_Shdr) ||
	    ehdr->e_shnum + REWRITE_SECTIONS_NEW >= SHN_LORESERVE ||
	    ehdr->e_shstrndx >= ehdr->e_shnum ||
	    !rewriteinput_is_inside(work, ehdr->e_shoff, ehdr->e_shnum * sizeof(Elf64_Shdr)))
		return "its section headers are damaged";
	work->section_count = ehdr->e_shnum;
	work->shdrs = calloc(work->section_count + REWRITE_SECTIONS_NEW, sizeof(Elf64_Shdr));
	if (!work->shdrs)
		return "out of memory";
	memcpy(work->shdrs, work->bytes + ehdr->e_shoff, work->section_count * sizeof(Elf64_Shdr));
	for (size_t i = 0; i < work->section_count; i++) {
		const Elf64_Shdr *section = &work->shdrs[i];

		if (section->sh_type == SHT_NOBITS || section->sh_type == SHT_NULL)
			continue;
		if (!rewriteinput_is_inside(work, section->sh_offset, section->sh_size))
			return "it ends before one of its sections does";
		if (section->sh_offset + section->sh_size > work->size)
			work->size = section->sh_offset + section->sh_size;
	}
	if (ehdr->e_shoff + work->section_count * sizeof(Elf64_Shdr) > work->size)
		work->size = ehdr->e_shoff + work->section_count * sizeof(Elf64_Shdr);
	names = &work->shdrs[ehdr->e_shstrndx];
	if (names->sh_type != SHT_STRTAB || names->sh_size == 0 ||
	    work->bytes[names->sh_offset + names->sh_size - 1] != '\0')
		return "the names of its sections are damaged";
	work->names = (const char *)work->bytes + names->sh_offset;
	work->names_size = names->sh_size;
	return NULL;
}

static void find_sections(struct rewrite_work *work)
{
	for (size_t i = 1; i < work->section_count; i++) {
		const Elf64_Shdr *section = &work->shdrs[i];

		if (section->sh_name >= work->names_size || !(section->sh_flags & SHF_ALLOC))
			continue;
		if (strcmp(work->names + section->sh_name, ".eh_frame") == 0)
			work->frames_section = i;
		else if (strcmp(work->names + section->sh_name, ".eh_frame_hdr") == 0)
			work->header_section = i;
	}
}

/* The loader finds its own end by symbols; a further segment would be beyond it. */
static bool rewriteinput_is_loader(const struct rewrite_work *work)
{
	const char *name = strrchr(work->path, '/');

	name = name ? name + 1 : work->path;
	return strncmp(name, "ld-linux", 8) == 0 || strncmp(name, "ld-musl", 7) == 0;
}

enum kymo_status rewriteinput_open(struct rewrite_work *work, const char *path,
				   struct problem *problem)
{
	enum kymo_status status;
	const char *fault;

	work->path = path;
	status = rewriteinput_map_file(work, problem);
	if (status == KYMO_OK)
		status = check_header(work, problem);
	if (status != KYMO_OK)
		return status;
	if (rewriteinput_is_loader(work))
		return malformed(work, problem, "it is the loader of programs");
	work->phdr_count = work->ehdr->e_phnum;
	work->phdrs = calloc(work->phdr_count + 1, sizeof(Elf64_Phdr));
	if (!work->phdrs)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	memcpy(work->phdrs, work->bytes + work->ehdr->e_phoff,
	       work->phdr_count * sizeof(Elf64_Phdr));
	fault = check_segments(work);
	if (!fault)
		fault = check_sections(work);
	if (fault)
		return malformed(work, problem, fault);
	if (!rewriteinput_phdr(work, PT_INTERP) && !rewriteinput_is_library(work))
		return malformed(work, problem,
				 "it is statically linked, so that nothing can be loaded into it");
	find_sections(work);
	return KYMO_OK;
}

void rewriteinput_close(struct rewrite_work *work)
{
	if (work->bytes)
		munmap(work->bytes, work->mapped);
	free(work->phdrs);
	free(work->shdrs);
	free(work->segment);
	free(work->tail);
	*work = (struct rewrite_work){0};
}

static const Elf64_Phdr *load_at(const struct rewrite_work *work, uint64_t address, uint64_t size)
{
	for (size_t i = 0; i < work->phdr_count; i++) {
		const Elf64_Phdr *phdr = &work->phdrs[i];

		if (phdr->p_type == PT_LOAD && address >= phdr->p_vaddr &&
		    address - phdr->p_vaddr <= phdr->p_filesz &&
		    size <= phdr->p_filesz - (address - phdr->p_vaddr))
			return phdr;
	}
	return NULL;
}

unsigned char *rewriteinput_at(const struct rewrite_work *work, uint64_t address, uint64_t size)
{
	const Elf64_Phdr *phdr = load_at(work, address, size);

	return phdr ? work->bytes + phdr->p_offset + (address - phdr->p_vaddr) : NULL;
}

bool rewriteinput_is_code(const struct rewrite_work *work, uint64_t address, uint64_t size)
{
	const Elf64_Phdr *phdr = load_at(work, address, size);

	return phdr && (phdr->p_flags & PF_X);
}

Elf64_Phdr *rewriteinput_phdr(const struct rewrite_work *work, uint32_t type)
{
	for (size_t i = 0; i < work->phdr_count; i++)
		if (work->phdrs[i].p_type == type)
			return &work->phdrs[i];
	return NULL;
}

bool rewriteinput_is_library(const struct rewrite_work *work)
{
	const Elf64_Phdr *phdr = rewriteinput_phdr(work, PT_DYNAMIC);
	uint64_t flags = 0;

	if (!phdr || work->ehdr->e_type != ET_DYN || rewriteinput_phdr(work, PT_INTERP))
		return false;
	for (uint64_t at = 0; phdr->p_filesz - at >= sizeof(Elf64_Dyn); at += sizeof(Elf64_Dyn)) {
		Elf64_Dyn entry;

		memcpy(&entry, work->bytes + phdr->p_offset + at, sizeof(entry));
		if (entry.d_tag == DT_NULL)
			break;
		if (entry.d_tag == DT_FLAGS_1)
			flags = entry.d_un.d_val;
	}
	return !(flags & DF_1_PIE);
}
