/* The ELF files of a module: its own, as it is now, and its separate debug file.
 *
 * A file is used only if it has the build id that was recorded.  Debug files are searched by build
 * id and by the name in .gnu_debuglink, and, on request, at the servers of debuginfod.  The vdso is
 * this machine's own.  Not thread-safe. */
#ifndef KYMO_MODULE_FILES_H
#define KYMO_MODULE_FILES_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>

enum module_file_state {
	MODULE_FILE_OK,
	MODULE_FILE_MISSING, /* cannot be opened */
	MODULE_FILE_CHANGED, /* has another build id */
	MODULE_FILE_FOREIGN, /* is no ELF file */
};

struct module_file {
	Elf *elf; /* NULL = none */
	int fd;	  /* -1 = none */
	void *image;
};

struct module_files {
	struct module_file own, debug;
	struct module_file mini;      /* opened by module_files_mini() */
	enum module_file_state state; /* state of own */
};

/* build_id: hexadecimal digits, NULL = any.  False when there is neither file; files must be closed
 * in that case, too. */
bool module_files_open(struct module_files *files, const char *path, const char *build_id,
		       bool uses_debuginfod);
void module_files_close(struct module_files *files);

/* The file embedded in the module's own with the symbols that the loader does not need, which some
 * systems keep in stripped programs (.gnu_debugdata); NULL = none. */
Elf *module_files_mini(struct module_files *files);

/* The section of that name or, if name is NULL, of that type. */
Elf_Scn *module_section(Elf *elf, const char *name, GElf_Word type, GElf_Shdr *header_out);

#endif
