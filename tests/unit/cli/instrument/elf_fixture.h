/* A small ELF file with a dynamic section: what it needs, and where that is looked for. */
#ifndef KYMO_ELF_FIXTURE_H
#define KYMO_ELF_FIXTURE_H

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>

#include "platform/files/exec_check.h"

#define STRINGS "\0liba.so\0libb.so\0/run/path\0/r/path"
#define ENTRIES 8

struct elf_file { /* loaded at 0x1000 */
	ElfW(Ehdr) header;
	ElfW(Phdr) segments[2];
	ElfW(Dyn) entries[ENTRIES];
	char strings[sizeof(STRINGS)];
};

/* It needs liba.so and libb.so, which are looked for in /run/path. */
static inline struct elf_file elf_made(void)
{
	struct elf_file file = {
		.header = {.e_machine = exec_own_machine(),
			   .e_phoff = offsetof(struct elf_file, segments),
			   .e_phentsize = sizeof(ElfW(Phdr)),
			   .e_phnum = 2},
		.segments = {{.p_type = PT_LOAD, .p_vaddr = 0x1000, .p_filesz = sizeof(file)},
			     {.p_type = PT_DYNAMIC,
			      .p_offset = offsetof(struct elf_file, entries),
			      .p_filesz = sizeof(file.entries)}},
		.entries = {{DT_NEEDED, {1}},
			    {DT_NEEDED, {9}},
			    {DT_STRTAB, {0x1000 + offsetof(struct elf_file, strings)}},
			    {DT_STRSZ, {sizeof(STRINGS)}},
			    {DT_RUNPATH, {17}},
			    {DT_NULL, {0}}},
		.strings = STRINGS,
	};

	memcpy(file.header.e_ident, ELFMAG, SELFMAG);
	file.header.e_ident[EI_CLASS] = sizeof(void *) == 8 ? ELFCLASS64 : ELFCLASS32;
	return file;
}

#endif
