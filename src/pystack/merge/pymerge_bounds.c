/* The address range of the evaluation function: by unwind tables, and the file's symbols.
 * Compilers move rarely executed parts of a function elsewhere, under its name with a suffix
 * (.cold, .part.0, .lto_priv.0); only symbols identify them, which a stripped file does not
 * have. */
#include "pystack/merge/pymerge_bounds.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/keeperrno.h"
#include "platform/modulescan.h"
#include "pystack/merge/pymerge.h"
#include "pystack/pyruntime.h"

#define PARTS_MAX (sizeof(((struct pymerge_evaluation *)0)->start) / sizeof(uint64_t))

struct module {
	uint64_t address; /* that it has to cover */
	uint64_t bias;
	char path[4096];
};

static void keep_module(const struct modulescan_found *found, void *context)
{
	struct module *module = context;

	if (module->address < found->start || module->address >= found->end ||
	    strlen(found->path) >= sizeof(module->path))
		return;
	module->bias = found->bias;
	strcpy(module->path, found->path);
}

static void bounds_add_part(struct pymerge_evaluation *out, uint64_t start, uint64_t end)
{
	if (out->count == PARTS_MAX || start >= end)
		return;
	for (unsigned i = 0; i < out->count; i++)
		if (start >= out->start[i] && end <= out->end[i])
			return;
	out->start[out->count] = start;
	out->end[out->count++] = end;
}

/* The symbols of a section; names are NUL-terminated inside of strings[0, size). */
static void take_symbols(const ElfW(Sym) * symbols, size_t count, const char *strings, size_t size,
			 uint64_t bias, struct pymerge_evaluation *out)
{
	const char *name = pysymbol_names[PYSYMBOL_EVALUATE];
	size_t length = strlen(name);

	for (size_t i = 0; i < count; i++) {
		if (ELF64_ST_TYPE(symbols[i].st_info) != STT_FUNC ||
		    symbols[i].st_shndx == SHN_UNDEF || symbols[i].st_name + length + 1 >= size ||
		    strncmp(strings + symbols[i].st_name, name, length) != 0)
			continue;
		if (strings[symbols[i].st_name + length] == '.')
			bounds_add_part(out, bias + symbols[i].st_value,
					bias + symbols[i].st_value + symbols[i].st_size);
	}
}

static bool bounds_is_inside(uint64_t offset, uint64_t size, uint64_t whole)
{
	return offset <= whole && size <= whole - offset;
}

static void take_file(const unsigned char *bytes, size_t size, uint64_t bias,
		      struct pymerge_evaluation *out)
{
	const ElfW(Ehdr) *header = (const void *)bytes;
	const ElfW(Shdr) * sections, *strings;

	if (size < sizeof(*header) || memcmp(bytes, ELFMAG, SELFMAG) != 0 ||
	    header->e_shentsize != sizeof(*sections) || header->e_shoff % 8 != 0 ||
	    !bounds_is_inside(header->e_shoff, (uint64_t)header->e_shnum * sizeof(*sections), size))
		return;
	sections = (const void *)(bytes + header->e_shoff);
	for (unsigned i = 0; i < header->e_shnum; i++) {
		if (sections[i].sh_type != SHT_SYMTAB || sections[i].sh_link >= header->e_shnum)
			continue;
		strings = &sections[sections[i].sh_link];
		if (sections[i].sh_offset % 8 == 0 && strings->sh_size > 0 &&
		    bounds_is_inside(sections[i].sh_offset, sections[i].sh_size, size) &&
		    bounds_is_inside(strings->sh_offset, strings->sh_size, size) &&
		    bytes[strings->sh_offset + strings->sh_size - 1] == '\0')
			take_symbols((const void *)(bytes + sections[i].sh_offset),
				     sections[i].sh_size / sizeof(ElfW(Sym)),
				     (const char *)bytes + strings->sh_offset, strings->sh_size,
				     bias, out);
	}
}

static void read_file_symbols(const struct module *module, struct pymerge_evaluation *out)
{
	int fd = open(module->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	struct stat status;
	void *bytes;

	if (fd < 0)
		return;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
		bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (bytes != MAP_FAILED) {
			take_file(bytes, (size_t)status.st_size, module->bias, out);
			munmap(bytes, (size_t)status.st_size);
		}
	}
	close(fd);
}

bool pymerge_bounds(const struct pyruntime *runtime, struct pymerge_evaluation *out)
{
	struct module module = {.address = runtime->evaluate};
	struct pymerge_evaluation found = {.count = 0};
	KEEP_ERRNO();
	uint64_t start, end;

	if (runtime->evaluate && unwind_function(runtime->evaluate, &start, &end))
		bounds_add_part(&found, start, end);
	if (runtime->evaluate)
		modulescan(keep_module, &module);
	if (module.path[0])
		read_file_symbols(&module, &found);
	*out = found;
	return found.count > 0;
}
