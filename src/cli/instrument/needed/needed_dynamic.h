/* The dynamic section of an ELF file, read from the file and validated. */
#ifndef KYMO_NEEDED_DYNAMIC_H
#define KYMO_NEEDED_DYNAMIC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define NEEDED_NAMES_MAX 1024u

struct needed_dynamic {
	char *strings; /* all texts below are in it; ends with a NUL */
	const char *names[NEEDED_NAMES_MAX];
	size_t name_count;
	const char *rpath, *runpath; /* NULL = none */
	uint64_t device, inode;
};

/* False: not a readable ELF file for this machine, and nothing to release.  A file without a
 * dynamic section needs nothing. */
bool needed_dynamic_read(const char *path, struct needed_dynamic *out);
void needed_dynamic_release(struct needed_dynamic *dynamic);

#endif
