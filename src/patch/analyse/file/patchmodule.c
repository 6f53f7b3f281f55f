/* Opening an ELF file: every header is validated before it is used. */
#include "patch/analyse/file/patchmodule.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/partitionpoint.h"
#include "patch/analyse/patchindex.h"
#include "patch/analyse/patchprocessor.h"
#include "patch/analyse/patchsweep.h"

#define PAGE		  4096u
#define SEGMENTS_MAX	  512u
#define ADDRESS_MAX	  (UINT64_C(1) << 47) /* of user space */
#define SPAN_MAX	  (UINT64_C(1) << 31) /* beyond the reach of jumps */
#define NOTE_GNU_BUILD_ID 3u

const unsigned char *patchmodule_at(const struct patch_module *module, uint64_t address,
				    uint64_t size)
{
	for (size_t i = 0; i < module->segment_count; i++) {
		const struct patch_segment *segment = &module->segments[i];
		uint64_t into = address - segment->address;

		if (address < segment->address || into >= segment->file_bytes)
			continue;
		return size <= segment->file_bytes - into ? module->bytes + segment->offset + into
							  : NULL;
	}
	return NULL;
}

uint64_t patchmodule_left(const struct patch_module *module, uint64_t address)
{
	for (size_t i = 0; i < module->segment_count; i++) {
		const struct patch_segment *segment = &module->segments[i];

		if (address >= segment->address && address - segment->address < segment->file_bytes)
			return segment->file_bytes - (address - segment->address);
	}
	return 0;
}

bool patchmodule_is_code(const struct patch_module *module, uint64_t address)
{
	for (size_t i = 0; i < module->segment_count; i++) {
		const struct patch_segment *segment = &module->segments[i];

		if (segment->flags & PF_X && address >= segment->address &&
		    address - segment->address < segment->file_bytes)
			return true;
	}
	return false;
}

struct patch_function *patchmodule_function_at(const struct patch_module *module, uint64_t address)
{
	size_t low = 0, high = module->function_count;
	struct patch_function *function;

	if (module->sweep)
		patchindex_narrow(&module->sweep->functions, address, high, &low, &high);
	low = partition_point_within(low, high, i, module->functions[i].address <= address);
	if (low == 0)
		return NULL;
	function = &module->functions[low - 1];
	return address - function->address < (function->size ? function->size : 1) ? function
										   : NULL;
}

bool patchmodule_is_target(const struct patch_module *module, uint64_t address)
{
	return module->targets && address >= module->targets_start &&
	       address < module->targets_end &&
	       patchbits_has(module->targets, address - module->targets_start);
}

static enum kymo_status patchmodule_refuse(struct problem *problem, const char *path,
					   const char *why)
{
	return problem_set(problem, KYMO_FORMAT, "cannot instrument '%s': %s", path, why);
}

static enum kymo_status check_ident(struct patch_module *module, struct problem *problem)
{
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)module->bytes;
	const char *path = module->path;

	if (module->size < EI_NIDENT || memcmp(module->bytes, ELFMAG, SELFMAG) != 0)
		return patchmodule_refuse(problem, path, "it is not an ELF file");
	if (module->bytes[EI_CLASS] != ELFCLASS64)
		return patchmodule_refuse(problem, path, "it is for a 32-bit processor");
	if (module->bytes[EI_DATA] != ELFDATA2LSB)
		return patchmodule_refuse(problem, path, "it is for a big-endian processor");
	if (module->size < sizeof(*ehdr))
		return patchmodule_refuse(problem, path, "it ends within its header");
	module->processor = patchprocessor_of(ehdr->e_machine);
	if (!module->processor)
		return patchmodule_refuse(
			problem, path,
			"it is for another kind of processor than x86-64 and aarch64");
	if (ehdr->e_type == ET_REL)
		return patchmodule_refuse(problem, path, "it is not linked: an object file");
	if (ehdr->e_type != ET_EXEC && ehdr->e_type != ET_DYN)
		return patchmodule_refuse(problem, path,
					  "it is neither a program nor a shared library");
	if (ehdr->e_phentsize != sizeof(Elf64_Phdr) || ehdr->e_phnum == 0 ||
	    ehdr->e_phnum > SEGMENTS_MAX || ehdr->e_phoff % 8 != 0 ||
	    ehdr->e_phoff > module->size ||
	    ehdr->e_phnum > (module->size - ehdr->e_phoff) / sizeof(Elf64_Phdr))
		return patchmodule_refuse(problem, path, "its table of segments is damaged");
	module->ehdr = ehdr;
	module->is_position_dependent = ehdr->e_type == ET_EXEC;
	return KYMO_OK;
}

const Elf64_Phdr *patchmodule_header(const struct patch_module *module, size_t index)
{
	return (const Elf64_Phdr *)(module->bytes + module->ehdr->e_phoff) + index;
}

static bool is_sane(const struct patch_module *module, const Elf64_Phdr *header)
{
	return header->p_offset <= module->size &&
	       header->p_filesz <= module->size - header->p_offset &&
	       header->p_filesz <= header->p_memsz && header->p_vaddr < ADDRESS_MAX &&
	       header->p_memsz < ADDRESS_MAX;
}

static enum kymo_status take_segments(struct patch_module *module, struct problem *problem)
{
	uint64_t end = 0;

	module->segments = calloc(module->ehdr->e_phnum, sizeof(*module->segments));
	if (!module->segments)
		return problem_set(problem, KYMO_MEMORY, "out of memory");
	for (size_t i = 0; i < module->ehdr->e_phnum; i++) {
		const Elf64_Phdr *header = patchmodule_header(module, i);

		if (header->p_type != PT_LOAD || header->p_memsz == 0)
			continue;
		if (!is_sane(module, header) || header->p_vaddr < end)
			return patchmodule_refuse(problem, module->path,
						  "it is damaged: segments do not fit");
		end = header->p_vaddr + header->p_memsz;
		module->segments[module->segment_count++] =
			(struct patch_segment){header->p_vaddr, header->p_memsz, header->p_offset,
					       header->p_filesz, header->p_flags};
	}
	if (module->segment_count == 0)
		return patchmodule_refuse(problem, module->path, "nothing of it is loaded");
	module->image_start = module->segments[0].address & ~(uint64_t)(PAGE - 1);
	module->image_end = (end + PAGE - 1) & ~(uint64_t)(PAGE - 1);
	if (module->image_end - module->image_start > SPAN_MAX)
		return patchmodule_refuse(problem, module->path, "it is larger than jumps reach");
	return KYMO_OK;
}

static void patchmodule_take_build_id(struct patch_module *module, uint64_t offset, uint64_t size)
{
	const unsigned char *bytes = module->bytes + offset;

	while (size >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		uint64_t name, rest;

		memcpy(&note, bytes, sizeof(note));
		name = ((uint64_t)note.n_namesz + 3) & ~UINT64_C(3);
		rest = ((uint64_t)note.n_descsz + 3) & ~UINT64_C(3);
		bytes += sizeof(note);
		size -= sizeof(note);
		if (name > size || note.n_descsz > size - name)
			return;
		if (note.n_type == NOTE_GNU_BUILD_ID && note.n_namesz == 4 &&
		    memcmp(bytes, "GNU", 4) == 0 && note.n_descsz > 0 &&
		    note.n_descsz <= PLAN_BUILD_ID_MAX) {
			memcpy(module->build_id, bytes + name, note.n_descsz);
			module->build_id_size = note.n_descsz;
			return;
		}
		if (rest > size - name)
			return;
		bytes += name + rest;
		size -= name + rest;
	}
}

/* The section headers give the section's bounds; without them it ends with its segment. */
static void take_frames(struct patch_module *module, uint64_t address)
{
	uint64_t size = patchmodule_left(module, address);
	const Elf64_Shdr *section = patchmodule_section(module, ".eh_frame");

	if (section && section->sh_addr == address && section->sh_size < size)
		size = section->sh_size;
	module->frames.frames = patchmodule_at(module, address, size);
	module->frames.frames_size = module->frames.frames ? size : 0;
	module->frames.frames_address = address;
}

/* The header of the unwind tables refers to the tables: 1, encodings, then a distance. */
static void take_frame_header(struct patch_module *module, const Elf64_Phdr *header)
{
	const unsigned char *bytes = patchmodule_at(module, header->p_vaddr, header->p_filesz);
	int32_t distance;

	if (!bytes || header->p_filesz < 8 || bytes[0] != 1 || bytes[1] != 0x1b)
		return;
	module->frames.header = bytes;
	module->frames.header_size = header->p_filesz;
	module->frames.header_address = header->p_vaddr;
	memcpy(&distance, bytes + 4, sizeof(distance));
	take_frames(module, header->p_vaddr + 4 + (uint64_t)(int64_t)distance);
	if (!module->frames.frames)
		memset(&module->frames, 0, sizeof(module->frames));
}

static void take_named(struct patch_module *module)
{
	const Elf64_Shdr *section;

	for (size_t i = 0; i < module->ehdr->e_phnum; i++) {
		const Elf64_Phdr *header = patchmodule_header(module, i);

		if (!is_sane(module, header))
			continue;
		if (header->p_type == PT_NOTE && module->build_id_size == 0)
			patchmodule_take_build_id(module, header->p_offset, header->p_filesz);
		else if (header->p_type == PT_GNU_EH_FRAME)
			take_frame_header(module, header);
	}
	section = patchmodule_section(module, ".eh_frame");
	if (!module->frames.frames && section)
		take_frames(module, section->sh_addr);
}

const Elf64_Shdr *patchmodule_sections(const struct patch_module *module, size_t *count_out)
{
	const Elf64_Ehdr *ehdr = module->ehdr;

	*count_out = 0;
	if (ehdr->e_shentsize != sizeof(Elf64_Shdr) || ehdr->e_shoff == 0 ||
	    ehdr->e_shoff % 8 != 0 || ehdr->e_shoff > module->size ||
	    ehdr->e_shnum > (module->size - ehdr->e_shoff) / sizeof(Elf64_Shdr))
		return NULL;
	*count_out = ehdr->e_shnum;
	return (const Elf64_Shdr *)(module->bytes + ehdr->e_shoff);
}

const unsigned char *patchmodule_contents(const struct patch_module *module,
					  const Elf64_Shdr *section)
{
	if (section->sh_type == SHT_NOBITS || section->sh_offset > module->size ||
	    section->sh_size > module->size - section->sh_offset)
		return NULL;
	return module->bytes + section->sh_offset;
}

const char *patchmodule_text(const char *texts, uint64_t size, uint64_t offset)
{
	if (!texts || offset >= size || !memchr(texts + offset, 0, size - offset))
		return "";
	return texts + offset;
}

const Elf64_Shdr *patchmodule_section(const struct patch_module *module, const char *name)
{
	const Elf64_Shdr *sections, *names;
	const char *texts;
	size_t count;

	sections = patchmodule_sections(module, &count);
	if (!sections || module->ehdr->e_shstrndx >= count)
		return NULL;
	names = &sections[module->ehdr->e_shstrndx];
	texts = (const char *)patchmodule_contents(module, names);
	for (size_t i = 0; i < count; i++)
		if (strcmp(patchmodule_text(texts, names->sh_size, sections[i].sh_name), name) == 0)
			return &sections[i];
	return NULL;
}

static enum kymo_status patchmodule_map_file(struct patch_module *module, struct problem *problem)
{
	struct stat info;
	void *bytes;
	int fd = open(module->path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK), error;

	if (fd < 0)
		return problem_set(problem, KYMO_SYSTEM, "cannot open '%s': %s", module->path,
				   strerror(errno));
	if (fstat(fd, &info) < 0 || !S_ISREG(info.st_mode) || info.st_size == 0) {
		close(fd);
		return patchmodule_refuse(problem, module->path, "it is not an ELF file");
	}
	module->size = (size_t)info.st_size;
	module->identity = plan_identity((uint64_t)info.st_size, (uint64_t)info.st_mtim.tv_sec,
					 (uint64_t)info.st_mtim.tv_nsec, (uint64_t)info.st_ino);
	bytes = mmap(NULL, module->size, PROT_READ, MAP_PRIVATE, fd, 0);
	error = errno;
	close(fd);
	if (bytes == MAP_FAILED)
		return problem_set(problem, KYMO_SYSTEM, "cannot map '%s': %s", module->path,
				   strerror(error));
	module->bytes = bytes;
	return KYMO_OK;
}

enum kymo_status patchmodule_open(const char *path, struct patch_module **out,
				  struct problem *problem)
{
	struct patch_module *module = calloc(1, sizeof(*module));
	enum kymo_status status = KYMO_MEMORY;

	if (!module || !(module->path = strdup(path))) {
		problem_set(problem, status, "out of memory");
		goto failed;
	}
	if ((status = patchmodule_map_file(module, problem)) != KYMO_OK ||
	    (status = check_ident(module, problem)) != KYMO_OK ||
	    (status = take_segments(module, problem)) != KYMO_OK)
		goto failed;
	take_named(module);
	*out = module;
	return KYMO_OK;
failed:
	patchmodule_close(module);
	return status;
}

void patchmodule_close(struct patch_module *module)
{
	if (!module)
		return;
	if (module->bytes)
		munmap((void *)(uintptr_t)module->bytes, module->size);
	patchsweep_free(module->sweep);
	free(module->functions);
	free(module->exits);
	free(module->targets);
	free(module->caves);
	free(module->owners);
	free(module->segments);
	free(module->path);
	free(module);
}
