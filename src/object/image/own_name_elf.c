/* Names of libraries, read from their dynamic sections by libelf. */
#include "object/image/own_name.h"

#include <fcntl.h>
#include <gelf.h>
#include <stdio.h>
#include <unistd.h>

static const char *elf_find(Elf *elf)
{
	Elf_Scn *section = NULL;
	GElf_Shdr header;
	GElf_Dyn entry;
	Elf_Data *data;

	while ((section = elf_nextscn(elf, section)) != NULL) {
		if (!gelf_getshdr(section, &header) || header.sh_type != SHT_DYNAMIC)
			continue;
		data = elf_getdata(section, NULL);
		for (int i = 0; data && gelf_getdyn(data, i, &entry) && entry.d_tag != DT_NULL; i++)
			if (entry.d_tag == DT_SONAME)
				return elf_strptr(elf, header.sh_link, entry.d_un.d_val);
	}
	return NULL;
}

bool own_name_read(const char *path, char *name, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	const char *found;
	bool is_read = false;
	Elf *elf;

	if (fd < 0)
		return false;
	elf_version(EV_CURRENT);
	elf = elf_begin(fd, ELF_C_READ, NULL);
	if (elf) {
		found = elf_find(elf);
		is_read = found && snprintf(name, size, "%s", found) < (int)size;
		elf_end(elf);
	}
	close(fd);
	return is_read;
}
