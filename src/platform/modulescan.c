/* A module begins with a mapping of its file's start that contains an ELF header; the following
 * mappings, up to the end of its segments, belong to it.  That end is in the program header
 * table, which tools that modify linked files (BOLT, patchelf) move into a segment of its own.
 * Memory is read through the kernel, because another thread may be unloading the module. */
#include "platform/modulescan.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdbool.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "base/pages.h"
#include "platform/files/nocancel_io.h"
#include "platform/loadednames.h"
#include "platform/proc/proc_file.h"
#include "platform/proc/proc_maps.h"

#define PAGE	  4096u
#define NOTES_MAX 1024u

struct mapping {
	uint64_t start, end, offset;
	bool is_executable;
	const char *path; /* "" = none */
};

struct modulescan {
	modulescan_fn report;
	modulescan_code_fn report_code; /* or NULL */
	void *context;
	int memory; /* descriptor of /proc/thread-self/mem, -1 = not needed so far */
	/* The module that the latest mappings belong to. */
	struct modulescan_found module; /* start = 0: none */
	uint64_t table_offset; /* in the file, of its program headers; 0 = they are known */
	bool is_executable;
	char path[PATH_MAX];
	char build_id[2 * MODULESCAN_BUILD_ID_MAX + 1];
	_Alignas(8) char header[PAGE];
	_Alignas(8) char table[PAGE];
	_Alignas(4) char notes[NOTES_MAX];
	char mapped[PATH_MAX + sizeof(PROC_MAPS_DELETED)]; /* the path of the current mapping */
	bool has_names;					   /* once one is requested */
	struct loadednames names;
};

/* Kernels before 3.17 have no thread-self. */
static int open_own(const char *own, const char *process)
{
	int fd = plain_open(own, O_RDONLY | O_CLOEXEC, 0);

	return fd >= 0 || errno != ENOENT ? fd : plain_open(process, O_RDONLY | O_CLOEXEC, 0);
}

/* Read bytes of this process at address; false if they are not readable. */
static bool modulescan_peek(struct modulescan *scan, uint64_t address, void *bytes, size_t size)
{
	struct iovec to = {bytes, size}, from = {(void *)(uintptr_t)address, size};

	if (scan->memory < 0) {
		if (process_vm_readv((pid_t)syscall(SYS_gettid), &to, 1, &from, 1, 0) ==
		    (ssize_t)size)
			return true;
		if (errno != EPERM && errno != ENOSYS)
			return false;
		scan->memory = open_own("/proc/thread-self/mem", "/proc/self/mem");
	}
	return plain_pread(scan->memory, bytes, size, (off_t)address) == (ssize_t)size;
}

static bool peek_for_names(void *context, uint64_t address, void *to, size_t size)
{
	return modulescan_peek(context, address, to, size);
}

bool modulescan_name(const struct modulescan_found *found, const char **name_out)
{
	static const struct loadednames_root here = {"", "/proc/self/cwd"};
	struct modulescan *scan = found->scan;
	const struct loadednames_start start = {
		.segments = getauxval(AT_PHDR),
		.segment_count = getauxval(AT_PHNUM),
		.program = getauxval(AT_EXECFN),
	};

	if (!scan->has_names)
		loadednames_read(&scan->names, &start, peek_for_names, scan);
	scan->has_names = true;
	return loadednames_find(&scan->names, found->start, found->end, found->path, &here,
				name_out);
}

/* File offset of the program headers; 0: it is no module, or has too many. */
static uint64_t table_offset(const struct modulescan *scan)
{
	const ElfW(Ehdr) *header = (const ElfW(Ehdr) *)scan->header;
	const unsigned class = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;

	if (memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != class ||
	    header->e_phentsize != sizeof(ElfW(Phdr)) || header->e_phoff % 8 != 0 ||
	    header->e_phnum > PAGE / sizeof(ElfW(Phdr)))
		return 0;
	return header->e_phoff;
}

static void modulescan_keep_build_id(struct modulescan *scan, const unsigned char *bytes,
				     size_t size)
{
	static const char digits[] = "0123456789abcdef";

	if (size > MODULESCAN_BUILD_ID_MAX)
		size = MODULESCAN_BUILD_ID_MAX;
	for (size_t i = 0; i < size; i++) {
		scan->build_id[2 * i] = digits[bytes[i] >> 4];
		scan->build_id[2 * i + 1] = digits[bytes[i] & 15];
	}
	scan->build_id[2 * size] = '\0';
	scan->module.build_id = scan->build_id;
}

static size_t modulescan_padded(size_t size)
{
	return (size + 3) & ~(size_t)3;
}

/* True if the build id is among the notes. */
static bool modulescan_find_build_id(struct modulescan *scan, const char *notes, size_t size)
{
	size_t at = 0;

	while (size - at >= sizeof(ElfW(Nhdr))) {
		const ElfW(Nhdr) *note = (const ElfW(Nhdr) *)(notes + at);
		size_t name = at + sizeof(*note), desc;

		if (note->n_namesz > size || note->n_descsz > size)
			return false;
		desc = name + modulescan_padded(note->n_namesz);
		if (desc + modulescan_padded(note->n_descsz) > size)
			return false;
		if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == sizeof(ELF_NOTE_GNU) &&
		    !memcmp(notes + name, ELF_NOTE_GNU, sizeof(ELF_NOTE_GNU))) {
			modulescan_keep_build_id(scan, (const unsigned char *)notes + desc,
						 note->n_descsz);
			return true;
		}
		at = desc + modulescan_padded(note->n_descsz);
	}
	return false;
}

static bool modulescan_read_notes(struct modulescan *scan, const ElfW(Phdr) * segment)
{
	uint64_t address = scan->module.bias + segment->p_vaddr;
	size_t size = segment->p_memsz < NOTES_MAX ? segment->p_memsz : NOTES_MAX;

	if (address % 4 != 0)
		return false;
	if (address >= scan->module.start && address - scan->module.start <= PAGE - size)
		return modulescan_find_build_id(scan, scan->header + (address - scan->module.start),
						size);
	return modulescan_peek(scan, address, scan->notes, size) &&
	       modulescan_find_build_id(scan, scan->notes, size);
}

/* Bias, end and build id of the module whose table was read; false if it is none. */
static bool take_table(struct modulescan *scan)
{
	const unsigned count = ((const ElfW(Ehdr) *)scan->header)->e_phnum;
	const ElfW(Phdr) *segment = (const ElfW(Phdr) *)scan->table;
	uint64_t low = UINT64_MAX, high = 0;

	for (unsigned i = 0; i < count; i++) {
		if (segment[i].p_type != PT_LOAD)
			continue;
		if (segment[i].p_vaddr < low)
			low = segment[i].p_vaddr;
		if (segment[i].p_vaddr + segment[i].p_memsz > high)
			high = segment[i].p_vaddr + segment[i].p_memsz;
	}
	if (high == 0 || high < low)
		return false;
	scan->module.segments = segment;
	scan->module.segment_count = count;
	scan->module.bias = scan->module.start - (low & ~(uint64_t)(PAGE - 1));
	scan->module.end = scan->module.bias + high;
	for (unsigned i = 0; i < count; i++)
		if (segment[i].p_type == PT_NOTE && modulescan_read_notes(scan, &segment[i]))
			break;
	return true;
}

/* Read the module's table if this mapping of its file contains it.  The gaps between its
 * segments are filled by mappings of the file, too, which are not readable. */
static void modulescan_find_table(struct modulescan *scan, const struct mapping *mapping)
{
	size_t size = ((const ElfW(Ehdr) *)scan->header)->e_phnum * sizeof(ElfW(Phdr));
	uint64_t behind = scan->table_offset - mapping->offset;

	if (scan->table_offset < mapping->offset || behind >= mapping->end - mapping->start ||
	    size > mapping->end - mapping->start - behind ||
	    !modulescan_peek(scan, mapping->start + behind, scan->table, size))
		return; /* in another one, maybe */
	scan->table_offset = 0;
	if (!take_table(scan))
		scan->module.start = 0;
}

static void modulescan_report_module(struct modulescan *scan)
{
	if (scan->module.start && !scan->table_offset && scan->is_executable)
		scan->report(&scan->module, scan->context);
	scan->module.start = 0;
}

static void modulescan_begin_module(struct modulescan *scan, const struct mapping *mapping)
{
	size_t length = strlen(mapping->path);

	if (length >= sizeof(scan->path) ||
	    !modulescan_peek(scan, mapping->start, scan->header, PAGE))
		return;
	memcpy(scan->path, mapping->path, length + 1);
	length = proc_maps_deleted(scan->path);
	if (length != SIZE_MAX)
		scan->path[length] = '\0';
	scan->is_executable = mapping->is_executable;
	scan->module.start = mapping->start;
	scan->module.path = scan->path;
	scan->module.scan = scan;
	scan->module.build_id = NULL;
	scan->table_offset = table_offset(scan);
	if (scan->table_offset)
		modulescan_find_table(scan, mapping);
	else
		scan->module.start = 0;
}

static bool is_file_of(const struct modulescan *scan, const char *path)
{
	size_t length = strlen(scan->path);

	return strncmp(path, scan->path, length) == 0 &&
	       (path[length] == '\0' || strcmp(path + length, PROC_MAPS_DELETED) == 0);
}

/* A file that is mapped unchanged, for reading, takes less space than its segments would: what
 * follows it is another module. */
static bool is_anothers(struct modulescan *scan, const struct mapping *mapping)
{
	char magic[SELFMAG];

	return mapping->path[0] == '/' && mapping->offset == 0 &&
	       !is_file_of(scan, mapping->path) &&
	       modulescan_peek(scan, mapping->start, magic, sizeof(magic)) &&
	       memcmp(magic, ELFMAG, SELFMAG) == 0;
}

/* True if the mapping may be a part of a module whose end is not known yet. */
static bool is_of_unfinished(const struct modulescan *scan, const struct mapping *mapping)
{
	return scan->module.start && scan->table_offset &&
	       (mapping->path[0] == '\0' ||
		(mapping->offset > 0 && is_file_of(scan, mapping->path)));
}

static void modulescan_take_mapping(struct modulescan *scan, const struct mapping *mapping)
{
	if (is_of_unfinished(scan, mapping)) {
		scan->is_executable |= mapping->is_executable;
		if (mapping->path[0])
			modulescan_find_table(scan, mapping);
		return;
	}
	if (scan->module.start && !scan->table_offset && mapping->start < scan->module.end) {
		if (!is_anothers(scan, mapping)) {
			scan->is_executable |= mapping->is_executable;
			return;
		}
		scan->module.end = mapping->start;
	}
	modulescan_report_module(scan);
	if (mapping->path[0] == '/' && mapping->offset == 0)
		modulescan_begin_module(scan, mapping);
	if (!scan->module.start && mapping->is_executable && scan->report_code)
		scan->report_code(mapping->start, mapping->end, scan->context);
}

static bool modulescan_add_mapping(const struct proc_map *map, const char *path, void *context)
{
	const struct mapping mapping = {
		.start = map->start,
		.end = map->end,
		.offset = map->offset,
		.is_executable = map->protection & PROT_EXEC,
		.path = path,
	};

	modulescan_take_mapping(context, &mapping);
	return true;
}

int modulescan_all(modulescan_fn report, modulescan_code_fn report_code, void *context)
{
	KEEP_ERRNO();
	int result = ENOMEM;
	struct modulescan *scan = pages_new(sizeof(*scan));

	if (!scan)
		return result;
	scan->report = report;
	scan->report_code = report_code;
	scan->context = context;
	scan->memory = -1;
	result = proc_maps_each(PROC_SELF, scan->mapped, sizeof(scan->mapped),
				modulescan_add_mapping, scan);
	modulescan_report_module(scan);
	if (scan->memory >= 0)
		plain_close(scan->memory);
	pages_free(scan, sizeof(*scan));
	return result;
}

int modulescan(modulescan_fn report, void *context)
{
	return modulescan_all(report, NULL, context);
}
