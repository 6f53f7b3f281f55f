/* The dynamic section of a file, located by its program headers as in the loader. */
#include "cli/instrument/needed/needed_dynamic.h"

#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "platform/files/exec_check.h"

#define SEGMENTS_MAX 512u
#define ENTRIES_MAX  65536u
#define STRINGS_MAX  (UINT64_C(16) << 20)

struct reading {
	int fd;
	ElfW(Ehdr) header;
	ElfW(Phdr) segments[SEGMENTS_MAX];
	uint64_t strings_at, strings_size; /* addresses; 0 = none */
	uint64_t rpath, runpath;	   /* offsets in the strings; UINT64_MAX = none */
	uint64_t names[NEEDED_NAMES_MAX];
	size_t name_count;
};

static bool dynamic_read_at(int fd, void *to, size_t size, uint64_t offset)
{
	return offset <= INT64_MAX && pread(fd, to, size, (off_t)offset) == (ssize_t)size;
}

static bool is_for_this_machine(const ElfW(Ehdr) * header)
{
	return memcmp(header->e_ident, ELFMAG, SELFMAG) == 0 &&
	       header->e_ident[EI_CLASS] == (sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32) &&
	       header->e_machine == exec_own_machine() &&
	       header->e_phentsize == sizeof(ElfW(Phdr)) && header->e_phnum <= SEGMENTS_MAX;
}

/* The file offset of an address of the loaded program. */
static bool find_offset(const struct reading *reading, uint64_t address, uint64_t size,
			uint64_t *offset_out)
{
	for (unsigned i = 0; i < reading->header.e_phnum; i++) {
		const ElfW(Phdr) *segment = &reading->segments[i];
		uint64_t at = address - segment->p_vaddr;

		if (segment->p_type != PT_LOAD || address < segment->p_vaddr ||
		    at > segment->p_filesz || size > segment->p_filesz - at)
			continue;
		*offset_out = segment->p_offset + at;
		return true;
	}
	return false;
}

static void dynamic_take_entry(struct reading *reading, const ElfW(Dyn) * entry)
{
	switch (entry->d_tag) {
	case DT_NEEDED:
		if (reading->name_count < NEEDED_NAMES_MAX)
			reading->names[reading->name_count++] = entry->d_un.d_val;
		break;
	case DT_STRTAB:
		reading->strings_at = entry->d_un.d_ptr;
		break;
	case DT_STRSZ:
		reading->strings_size = entry->d_un.d_val;
		break;
	case DT_RPATH:
		reading->rpath = entry->d_un.d_val;
		break;
	case DT_RUNPATH:
		reading->runpath = entry->d_un.d_val;
		break;
	default:
		break;
	}
}

static bool read_entries(struct reading *reading)
{
	const ElfW(Phdr) *dynamic = NULL;
	ElfW(Dyn) entry;

	for (unsigned i = 0; i < reading->header.e_phnum; i++)
		if (reading->segments[i].p_type == PT_DYNAMIC)
			dynamic = &reading->segments[i];
	for (uint64_t i = 0; dynamic && i < ENTRIES_MAX; i++) {
		if ((i + 1) * sizeof(entry) > dynamic->p_filesz)
			break;
		if (!dynamic_read_at(reading->fd, &entry, sizeof(entry),
				     dynamic->p_offset + i * sizeof(entry)))
			return false;
		if (entry.d_tag == DT_NULL)
			break;
		dynamic_take_entry(reading, &entry);
	}
	return true;
}

static const char *dynamic_string_at(const struct reading *reading,
				     const struct needed_dynamic *out, uint64_t place)
{
	return out->strings && place < reading->strings_size ? out->strings + place : NULL;
}

static bool read_strings(const struct reading *reading, struct needed_dynamic *out)
{
	uint64_t offset;

	if (reading->strings_size == 0)
		return true;
	if (reading->strings_size > STRINGS_MAX ||
	    !find_offset(reading, reading->strings_at, reading->strings_size, &offset))
		return false;
	out->strings = malloc(reading->strings_size + 1);
	if (!out->strings ||
	    !dynamic_read_at(reading->fd, out->strings, reading->strings_size, offset))
		return false;
	out->strings[reading->strings_size] = '\0';
	for (size_t i = 0; i < reading->name_count; i++) {
		const char *name = dynamic_string_at(reading, out, reading->names[i]);

		if (name && *name)
			out->names[out->name_count++] = name;
	}
	out->rpath = dynamic_string_at(reading, out, reading->rpath);
	out->runpath = dynamic_string_at(reading, out, reading->runpath);
	return true;
}

static bool dynamic_read_file(struct reading *reading, struct needed_dynamic *out)
{
	struct stat info;

	if (fstat(reading->fd, &info) < 0 || !S_ISREG(info.st_mode) ||
	    !dynamic_read_at(reading->fd, &reading->header, sizeof(reading->header), 0) ||
	    !is_for_this_machine(&reading->header) ||
	    !dynamic_read_at(reading->fd, reading->segments,
			     reading->header.e_phnum * sizeof(*reading->segments),
			     reading->header.e_phoff))
		return false;
	out->device = (uint64_t)info.st_dev;
	out->inode = (uint64_t)info.st_ino;
	return read_entries(reading) && read_strings(reading, out);
}

bool needed_dynamic_read(const char *path, struct needed_dynamic *out)
{
	struct reading *reading = calloc(1, sizeof(*reading));
	bool is_read;

	memset(out, 0, sizeof(*out));
	if (!reading)
		return false;
	reading->rpath = reading->runpath = UINT64_MAX;
	reading->fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	is_read = reading->fd >= 0 && dynamic_read_file(reading, out);
	if (reading->fd >= 0)
		close(reading->fd);
	free(reading);
	if (!is_read)
		needed_dynamic_release(out);
	return is_read;
}

void needed_dynamic_release(struct needed_dynamic *dynamic)
{
	free(dynamic->strings);
	memset(dynamic, 0, sizeof(*dynamic));
}
